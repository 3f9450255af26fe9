// A model: a network read from ONNX, ready to run, and its evaluation on the host's buffers.
#ifndef AUGUR_RUNTIME_MODEL_H
#define AUGUR_RUNTIME_MODEL_H

#include <augur/model.h>

#include <atomic>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "runtime/budget_controller.h"
#include "runtime/buffer.h"
#include "runtime/frame_budget.h"
#include "runtime/handles.h"
#include "runtime/timeline.h"

namespace augur {

namespace model {
struct Network;
}

class Context;
struct LoadedNetwork;

// One call at a time, except describe, input, output, network and check_rules.
class Model final : public Object {
  public:
    static constexpr Kind kKind = Kind::model;

    // AUGUR_OK, or AUGUR_FELL_BACK_TO_CPU where the context has a GPU that cannot run it.
    static augur_result make(Context& context, const augur_model_desc& desc, std::unique_ptr<Model>* out);
    ~Model() override;

    Context& context() const { return context_; }
    const std::shared_ptr<const LoadedNetwork>& network() const { return network_; }

    augur_model_info describe() const;
    augur_result input(std::uint32_t index, augur_tensor_info* out) const;
    augur_result output(std::uint32_t index, augur_tensor_info* out) const;

    // buffers: those of the desc, inputs first; null where its id is zero. The caller keeps them from being
    // unregistered for the length of the call.
    augur_result evaluate(const augur_evaluation_desc& desc, Buffer* const (&inputs)[AUGUR_MODEL_INPUT_MAX],
                          Buffer* const (&outputs)[AUGUR_MODEL_OUTPUT_MAX]);
    augur_result wait(std::uint64_t timeout_us, augur_evaluation_result* out);

    // REQUEST, WAIT or FRAME, of direct evaluations.
    augur_latency latency(augur_latency_kind kind) const;
    const EvaluationTimeline& timeline() const { return timeline_; }

    // Whether a running evaluation reads or writes the buffer.
    bool uses(const Buffer& buffer) const;
    // Waits for it. Outputs that would be copied into OpenGL buffers are not: nobody knows what context is current.
    void finish();

  private:
    explicit Model(Context& context);
    augur_result load(const augur_model_desc& desc, model::Network* out) const;
    // Nothing of it stays on the GPU where not all of it fits.
    void bring_to_gpu(Backend& gpu, LoadedNetwork& loaded, std::string& why_not);
    augur_result check_inputs(const augur_evaluation_desc& desc, Buffer* const (&inputs)[AUGUR_MODEL_INPUT_MAX],
                              EvaluationWork* work) const;
    augur_result check_outputs(const augur_evaluation_desc& desc, Buffer* const (&outputs)[AUGUR_MODEL_OUTPUT_MAX],
                               EvaluationWork* work) const;
    Evaluator* evaluator(augur_backend backend) const {
        return backend == AUGUR_BACKEND_CUDA ? gpu_evaluator_.get() : cpu_evaluator_.get();
    }
    // Puts the buffers of work_ as the backend sees them; _UNSUPPORTED where it cannot see one.
    augur_result wire(augur_backend backend);
    augur_result submit();
    // Goes on with the CPU where the GPU was lost; false where it cannot.
    bool fall_back(augur_result result);
    void release_buffers();
    // OpenGL buffers that are copied: whether they are as registered, the inputs' rows in, the outputs' rows out.
    augur_result check_gl() const;
    void fetch_gl();
    void store_gl();
    // stores: outputs that are copied are written; the OpenGL context is current.
    augur_result advance(std::uint64_t timeout_ns, bool stores = true);

    Context& context_;
    std::shared_ptr<const LoadedNetwork> network_;
    std::atomic<augur_backend> backend_{AUGUR_BACKEND_CPU};  // that runs it
    std::unique_ptr<Evaluator> cpu_evaluator_;               // null: no direct evaluation
    std::unique_ptr<Evaluator> gpu_evaluator_;               // null: none on the GPU
    std::uint32_t row_capacity_ = 0;

    enum class State { idle, running, done } state_ = State::idle;
    EvaluationWork work_{};
    Buffer* inputs_[AUGUR_MODEL_INPUT_MAX]{};  // while running
    Buffer* outputs_[AUGUR_MODEL_OUTPUT_MAX]{};
    bool fell_back_ = false;  // to the CPU, in this evaluation
    augur_result answer_ = AUGUR_OK;
    augur_evaluation_result result_{};
    std::uint64_t submitted_ns_ = 0;
    EvaluationTimeline timeline_;
    FrameBudget::Member frame_share_;
    BudgetController costs_;  // of evaluations, by rows
};

// Whether a network fits the rules it shall guide: AUGUR_ERROR_INVALID_MODEL with both shapes where not.
augur_result check_fits(const LoadedNetwork& loaded, const core::RulesInfo& rules);

// Waits for a running evaluation, then destroys a model that the caller has alone.
augur_result destroy_model(Use<Model>& model);

}  // namespace augur

#endif  // AUGUR_RUNTIME_MODEL_H
