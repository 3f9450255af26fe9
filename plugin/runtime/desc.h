// Descs of the C interface: defaults, and reading one that may be older or newer than this library.
#ifndef AUGUR_RUNTIME_DESC_H
#define AUGUR_RUNTIME_DESC_H

#include <augur/buffer.h>
#include <augur/context.h>
#include <augur/model.h>
#include <augur/planner.h>
#include <augur/profile.h>
#include <augur/rules.h>

#include <cstdint>
#include <cstring>

#include "runtime/message.h"

namespace augur {

// Written by init, checked by every call: tells a desc of the right type from garbage.
template <class Desc>
struct DescTraits;

template <>
struct DescTraits<augur_context_desc> {
    static constexpr const char* kName = "augur_context_desc";
    static constexpr std::uint32_t kCookie = 0x41674378;
    static constexpr std::uint32_t kSmallest = offsetof(augur_context_desc, worker_threads);
    static augur_context_desc defaults();
};

template <>
struct DescTraits<augur_frame_budget_desc> {
    static constexpr const char* kName = "augur_frame_budget_desc";
    static constexpr std::uint32_t kCookie = 0x41674662;
    static constexpr std::uint32_t kSmallest = sizeof(augur_frame_budget_desc);
    static augur_frame_budget_desc defaults();
};

template <>
struct DescTraits<augur_buffer_desc> {
    static constexpr const char* kName = "augur_buffer_desc";
    static constexpr std::uint32_t kCookie = 0x41674266;
    static constexpr std::uint32_t kSmallest = offsetof(augur_buffer_desc, gl_buffer);
    static augur_buffer_desc defaults();
};

template <>
struct DescTraits<augur_planner_desc> {
    static constexpr const char* kName = "augur_planner_desc";
    static constexpr std::uint32_t kCookie = 0x4167506c;
    static constexpr std::uint32_t kSmallest = offsetof(augur_planner_desc, search);
    static augur_planner_desc defaults();
};

template <>
struct DescTraits<augur_frame_desc> {
    static constexpr const char* kName = "augur_frame_desc";
    static constexpr std::uint32_t kCookie = 0x41674672;
    static constexpr std::uint32_t kSmallest = offsetof(augur_frame_desc, simulations);
    static augur_frame_desc defaults();
};

template <>
struct DescTraits<augur_model_desc> {
    static constexpr const char* kName = "augur_model_desc";
    static constexpr std::uint32_t kCookie = 0x41674d64;
    static constexpr std::uint32_t kSmallest = offsetof(augur_model_desc, precision);
    static augur_model_desc defaults();
};

template <>
struct DescTraits<augur_evaluation_desc> {
    static constexpr const char* kName = "augur_evaluation_desc";
    static constexpr std::uint32_t kCookie = 0x41674576;
    static constexpr std::uint32_t kSmallest = sizeof(augur_evaluation_desc);
    static augur_evaluation_desc defaults();
};

template <>
struct DescTraits<augur_learned_rules_desc> {
    static constexpr const char* kName = "augur_learned_rules_desc";
    static constexpr std::uint32_t kCookie = 0x41674c72;
    static constexpr std::uint32_t kSmallest = offsetof(augur_learned_rules_desc, player_count);
    static augur_learned_rules_desc defaults();
};

template <>
struct DescTraits<augur_profile> {
    static constexpr const char* kName = "augur_profile";
    static constexpr std::uint32_t kCookie = 0x41675066;
    static constexpr std::uint32_t kSmallest = offsetof(augur_profile, selection);
    static augur_profile defaults();
};

// More than any desc or report will ever have: a larger struct_size is garbage.
inline constexpr std::uint32_t kLargestStruct = 8192;

// Fills the caller's struct of the size the caller was compiled with: defaults where this library knows the field, else
// zero.
template <class Desc>
void init_desc(Desc* desc, std::uint32_t struct_size) {
    if (desc == nullptr || struct_size < 8 || struct_size > kLargestStruct) return;
    Desc defaults = DescTraits<Desc>::defaults();
    defaults.struct_size = struct_size;
    defaults.struct_cookie = DescTraits<Desc>::kCookie;
    const std::size_t known = struct_size < sizeof(Desc) ? struct_size : sizeof(Desc);
    std::memset(static_cast<void*>(desc), 0, struct_size);
    std::memcpy(static_cast<void*>(desc), &defaults, known);
}

// Copies what the caller has over the defaults. An older, shorter desc is fine; of a newer one everything unknown must
// be zero.
template <class Desc>
augur_result take_desc(const Desc* given, Desc* out) {
    using Traits = DescTraits<Desc>;
    if (given == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "desc is null");
    std::uint32_t head[2];
    std::memcpy(head, static_cast<const void*>(given), sizeof head);
    if (head[1] != Traits::kCookie)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT,
                    "struct_cookie of %s is 0x%08x, expected 0x%08x: start from its default maker", Traits::kName,
                    head[1], Traits::kCookie);
    if (head[0] < Traits::kSmallest || head[0] > kLargestStruct || head[0] % 4 != 0)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "struct_size of %s is %u, allowed %u..%u", Traits::kName, head[0],
                    Traits::kSmallest, kLargestStruct);
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    for (std::uint32_t i = sizeof(Desc); i < head[0]; ++i) {
        if (bytes[i] != 0)
            return fail(AUGUR_ERROR_VERSION,
                        "struct_size of %s is %u, this library knows %u bytes, and byte %u is not zero", Traits::kName,
                        head[0], static_cast<std::uint32_t>(sizeof(Desc)), i);
    }
    *out = Traits::defaults();
    std::memcpy(static_cast<void*>(out), bytes, head[0] < sizeof(Desc) ? head[0] : sizeof(Desc));
    return AUGUR_OK;
}

// Checks struct_size of a struct that is to be filled. May be larger or smaller than ours.
template <class Out>
augur_result check_out(const Out* out, const char* name) {
    if (out == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "%s is null", name);
    std::uint32_t size = 0;
    std::memcpy(&size, static_cast<const void*>(out), sizeof size);
    if (size < 8 || size > kLargestStruct || size % 4 != 0)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "struct_size of %s is %u, allowed 8..%u: set it to its sizeof", name,
                    size, kLargestStruct);
    return AUGUR_OK;
}

// Fills as much of a checked struct as its caller knows; fields newer than this library become zero.
template <class Out>
void put_out(Out* out, Out value) {
    std::uint32_t size = 0;
    std::memcpy(&size, static_cast<const void*>(out), sizeof size);
    value.struct_size = size;
    if (size > sizeof(Out)) std::memset(reinterpret_cast<unsigned char*>(out) + sizeof(Out), 0, size - sizeof(Out));
    std::memcpy(static_cast<void*>(out), &value, size < sizeof(Out) ? size : sizeof(Out));
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_DESC_H
