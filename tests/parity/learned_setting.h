// A learned game with drawn networks, on one backend, and agents who see something of it.

#ifndef AUGUR_TESTS_PARITY_LEARNED_SETTING_H
#define AUGUR_TESTS_PARITY_LEARNED_SETTING_H

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/prepare.h"
#include "parity/parity_case.h"

namespace augur::test {

class LearnedSetting {
  public:
    // Null, with the reason, when the backend refuses. Of the same case it has the same networks on every backend.
    static std::unique_ptr<LearnedSetting> make(Backend& backend, const ParityCase& parity_case, std::string& error);

    const core::RulesInfo& rules() const { return rules_; }
    const LearnedGame& game() const { return game_; }
    // Where the agents' observations and masks lie.
    augur_buffer_desc desc();
    std::vector<Source> sources(BackendBuffer* buffer) const;

  private:
    // A network and what it is made of.
    struct Part {
        model::Prepared prepared;
        std::unique_ptr<BackendNetwork> network;
    };

    explicit LearnedSetting(const LearnedShape& shape);
    bool make_part(Backend& backend, const ParityCase& parity_case, const std::string& onnx,
                   const std::vector<std::vector<float>>& samples, Part* out, std::string& error);
    void see(std::uint32_t agents);

    const LearnedShape shape_;
    kit::FieldInfo fields_[2];
    core::RulesInfo rules_{};
    LearnedGame game_{};
    Part representation_, dynamics_, prediction_;
    std::vector<std::uint64_t> memory_;  // of the host: observations, then masks
    std::size_t stride_ = 0, masks_at_ = 0;
};

}  // namespace augur::test

#endif
