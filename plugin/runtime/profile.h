// Profiles: what their fields may hold, and how they go into descs.
#ifndef AUGUR_RUNTIME_PROFILE_H
#define AUGUR_RUNTIME_PROFILE_H

#include <augur/profile.h>

#include <cstdint>
#include <cstring>
#include <span>

namespace augur {

enum class ProfileKind {
    count,   // std::uint32_t, low .. high
    number,  // float, low .. high
    choice,  // std::uint32_t, low + the place of its word
    flag,    // std::uint32_t, 0 or 1
};

struct ProfileField {
    const char* name;
    ProfileKind kind;
    std::uint32_t offset;  // in augur_profile; all are four bytes
    double low;
    double high;
    std::span<const char* const> words;  // of a choice

    std::uint32_t count_in(const augur_profile& profile) const {
        std::uint32_t value = 0;
        std::memcpy(&value, reinterpret_cast<const unsigned char*>(&profile) + offset, sizeof value);
        return value;
    }
    float number_in(const augur_profile& profile) const {
        float value = 0.0f;
        std::memcpy(&value, reinterpret_cast<const unsigned char*>(&profile) + offset, sizeof value);
        return value;
    }
    template <class T>
    void put(augur_profile* profile, T value) const {
        static_assert(sizeof value == 4);
        std::memcpy(reinterpret_cast<unsigned char*>(profile) + offset, &value, sizeof value);
    }
};

// In the order of the struct and of the file.
std::span<const ProfileField> profile_fields();

// AUGUR_ERROR_INVALID_ARGUMENT with field, value and range for the first that is out of its range.
augur_result check_profile(const augur_profile& profile);

void apply_profile(const augur_profile& profile, augur_planner_desc* desc);
void apply_profile(const augur_profile& profile, augur_frame_desc* desc);
void apply_profile(const augur_profile& profile, augur_model_desc* desc);
void apply_profile(const augur_profile& profile, augur_context_desc* desc);
void apply_profile(const augur_profile& profile, augur_frame_budget_desc* desc);

}  // namespace augur

#endif  // AUGUR_RUNTIME_PROFILE_H
