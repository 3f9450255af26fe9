// A game's own use of a network beside the search: each frame a batch of rows goes through augur_model_evaluate, as a
// reward model's would. Here it is a load to tune against; its answers are not looked at.
#pragma once

#include <augur/augur.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/planner_session.h"

namespace augur::demo {

inline constexpr std::uint32_t kMostLoadRows = 16384;

/// Lives in the session's context: close() before the session does. Frame thread only.
class ModelLoad {
  public:
    ModelLoad() = default;
    ModelLoad(const ModelLoad&) = delete;
    ModelLoad& operator=(const ModelLoad&) = delete;
    ~ModelLoad() { close(); }

    /// Loads the file and takes memory for batches of `rows` rows. Returns false and a sentence in `message` when that
    /// fails; there is no load then.
    bool open(const PlannerSession& session, const std::string& file, std::uint32_t rows, std::string& message);
    void close();
    bool is_open() const { return model_.value != 0; }
    std::uint32_t rows() const { return rows_; }

    /// Starts this frame's batch. False where there is no load, or the last one failed.
    bool start();
    /// Waits for it.
    void finish();

    /// From the call until the batch was done, each frame; and the part of it that it waited for others.
    const Samples& batch_ms() const { return batch_ms_; }
    const Samples& queued_ms() const { return queued_ms_; }

  private:
    bool register_rows(augur_context_id context, std::vector<float>& numbers, augur_access access,
                       augur_buffer_id& out);

    augur_model_id model_{};
    std::vector<augur_buffer_id> buffers_;
    std::vector<std::vector<float>> inputs_;  // [inputs][rows * numbers of a row]
    std::vector<float> output_;
    augur_evaluation_desc desc_{};
    std::uint32_t rows_ = 0;
    bool running_ = false;
    Samples batch_ms_{65536};
    Samples queued_ms_{65536};
};

}  // namespace augur::demo
