#include "backend/cuda/sharing.h"

#include <algorithm>

#include "backend/cuda/entry_point.h"

namespace augur::cuda {

bool PartitionDriver::load() {
    return look_up("cuDeviceGetDevResource", get_resource, 12040) &&
           look_up("cuDevSmResourceSplitByCount", split, 12040) &&
           look_up("cuDevResourceGenerateDesc", make_desc, 12040) && look_up("cuGreenCtxCreate", create, 12040) &&
           look_up("cuGreenCtxDestroy", destroy, 12040) && look_up("cuCtxFromGreenCtx", as_context, 12040);
}

void Sharing::close() {
    for (std::uint32_t i = 0; i < part_count_; ++i)
        driver_.destroy(parts_[i]);
    part_count_ = 0;
}

void Sharing::open(const Whole& whole, augur_gpu_sharing wanted, std::uint32_t partition, std::string& why_not) {
    using core::LaneRule;
    mode_ = wanted;
    if (whole.has_host_stream) {
        if (wanted != AUGUR_GPU_SHARING_PRIORITY && wanted != AUGUR_GPU_SHARING_PLAIN)
            why_not = "cuda_stream carries all work, one thing after the other";
        mode_ = AUGUR_GPU_SHARING_PLAIN;
    }
    const bool divides =
        mode_ == AUGUR_GPU_SHARING_PARTITION || mode_ == AUGUR_GPU_SHARING_ADAPTIVE || mode_ == AUGUR_GPU_SHARING_AUTO;
    if (mode_ == AUGUR_GPU_SHARING_AUTO) add_whole(whole, whole.highest_priority, whole.lowest_priority);
    if (divides) {
        if (!whole.is_primary)
            why_not = "only the device's primary context can be divided, and cuda_context is another one";
        else if (!driver_.load())
            why_not = "the driver cannot divide a GPU (12.4 or newer can)";
        else if (mode_ == AUGUR_GPU_SHARING_PARTITION)
            add_partition(whole, partition != 0 ? partition : whole.multiprocessors / 8, why_not);
        else
            for (const std::uint32_t part : {8u, 4u, 2u})
                if (why_not.empty()) add_partition(whole, whole.multiprocessors / part, why_not);
        if (!why_not.empty()) {
            mode_ = AUGUR_GPU_SHARING_PRIORITY;
            count_ = 0;
        }
    }
    switch (mode_) {
        case AUGUR_GPU_SHARING_PLAIN:
            add_whole(whole, whole.lowest_priority, whole.lowest_priority);
            rule_ = LaneRule::first;
            break;
        case AUGUR_GPU_SHARING_TURNS:
            add_whole(whole, whole.highest_priority, whole.lowest_priority);
            rule_ = LaneRule::first;
            break;
        case AUGUR_GPU_SHARING_PARTITION:
            rule_ = LaneRule::first;
            break;
        case AUGUR_GPU_SHARING_ADAPTIVE:
            rule_ = LaneRule::by_need;
            break;
        case AUGUR_GPU_SHARING_AUTO:
            rule_ = LaneRule::by_measure;
            break;
        default:
            add_whole(whole, whole.highest_priority, whole.lowest_priority);
            add_whole(whole, whole.lowest_priority, whole.lowest_priority);
            rule_ = LaneRule::by_urgency;
            break;
    }
    demand_ = core::LaneDemand(core::LaneChoice(rule_, count_).wanted());
}

void Sharing::add_whole(const Whole& whole, int search_priority, int evaluation_priority) {
    search_[count_] = {whole.context, search_priority, whole.multiprocessors};
    evaluation_[count_] = {whole.context, evaluation_priority, whole.multiprocessors};
    ++count_;
}

// Two parts: the one for searches, and the rest.
bool Sharing::add_partition(const Whole& whole, std::uint32_t multiprocessors, std::string& why_not) {
    CUdevResource all{}, group{}, rest{};
    unsigned groups = 1;
    const auto failed = [&](const char* what, CUresult result) {
        why_not = std::string(what) + " of " + std::to_string(multiprocessors) + " of " +
                  std::to_string(whole.multiprocessors) + " multiprocessors failed (CUresult " +
                  std::to_string(static_cast<int>(result)) + ")";
        return false;
    };
    CUresult result = driver_.get_resource(whole.device, &all, CU_DEV_RESOURCE_TYPE_SM);
    if (result == CUDA_SUCCESS) result = driver_.split(&group, &groups, &all, &rest, 0, multiprocessors);
    if (result != CUDA_SUCCESS || groups == 0 || rest.sm.smCount == 0) return failed("a part", result);
    Lane* const lanes[] = {&search_[count_], &evaluation_[count_]};
    CUdevResource* const resources[] = {&group, &rest};
    for (int i = 0; i < 2; ++i) {
        CUdevResourceDesc desc{};
        result = driver_.make_desc(&desc, resources[i], 1);
        if (result == CUDA_SUCCESS)
            result = driver_.create(&parts_[part_count_], desc, whole.device, CU_GREEN_CTX_DEFAULT_STREAM);
        if (result != CUDA_SUCCESS) return failed("a context", result);
        CUcontext context = nullptr;
        result = driver_.as_context(&context, parts_[part_count_++]);
        if (result != CUDA_SUCCESS) return failed("a context", result);
        *lanes[i] = {context, i == 0 ? whole.highest_priority : whole.lowest_priority, resources[i]->sm.smCount};
    }
    ++count_;
    return true;
}

core::LaneChoice Sharing::join() {
    const std::lock_guard lock(mutex_);
    demand_.join();
    return {rule_, count_};
}

void Sharing::leave() {
    const std::lock_guard lock(mutex_);
    demand_.leave();
}

Sharing::Choice Sharing::begin_search(core::LaneChoice& planner, float urgency) {
    const bool beside = evaluations_.load(std::memory_order_relaxed) > 0;
    const std::uint32_t lane = planner.for_search(urgency, beside);
    const std::lock_guard lock(mutex_);
    demand_.searches(planner.wanted());
    return {lane, beside};
}

std::uint32_t Sharing::begin_evaluation() {
    evaluations_.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    return demand_.for_evaluation();
}

void Sharing::forget(cudaEvent_t done) {
    const std::lock_guard lock(mutex_);
    if (last_ == done) last_ = nullptr;
}

}  // namespace augur::cuda
