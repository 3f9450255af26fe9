// What the host's arrays look like to the rules: int32 words, one array per component, indexed by agent.
#ifndef AUGUR_KIT_FIELDS_H
#define AUGUR_KIT_FIELDS_H

#include <augur/kit/platform.h>

namespace augur::kit {

enum class FieldKind : std::uint32_t {
    integer = 1,  // a whole number
    fixed = 2,    // a real number times scale, rounded to nearest
    bits64 = 3,   // 64 bits in two words, low word first
    row = 4,      // real numbers side by side, kept out of the words; rules that are written in C++ have none
};

// One field of a game, as its rules declare it. The host sees it as augur_field_info.
struct FieldInfo {
    const char* name;
    const char* text;  // one sentence
    FieldKind kind = FieldKind::integer;
    std::uint32_t components = 1;  // 1 .. 4; row: any number
    std::int32_t scale = 1;        // fixed: units per 1.0
    std::int32_t minimum = INT32_MIN + 1;
    std::int32_t maximum = INT32_MAX;
    bool optional = false;
    std::int32_t default_value = 0;

    // Arrays that the host binds: one for each component, and one for all numbers of a row.
    AUGUR_HD constexpr std::uint32_t sources() const { return kind == FieldKind::row ? 1u : components; }
    AUGUR_HD constexpr std::uint32_t words() const {
        return kind == FieldKind::row ? 0u : components * (kind == FieldKind::bits64 ? 2u : 1u);
    }
};

// The number a word holds when the host's value was not finite or outside the field's range.
inline constexpr std::int32_t kInvalidWord = INT32_MIN;

// Read access to the fields of all agents. words: [W][stride], W the words of all fields in the order declared.
struct Fields {
    const std::int32_t* words;
    std::uint32_t stride;       // agents per array, at least agent_count
    std::uint32_t agent_count;  // A

    AUGUR_HD_INLINE std::int32_t get(std::uint32_t word, std::uint32_t agent) const {
        return words[static_cast<std::size_t>(word) * stride + agent];
    }
    AUGUR_HD_INLINE std::uint64_t get64(std::uint32_t word, std::uint32_t agent) const {
        return static_cast<std::uint32_t>(get(word, agent)) |
               (static_cast<std::uint64_t>(static_cast<std::uint32_t>(get(word + 1, agent))) << 32);
    }
};

// What gather found out about an agent.
enum class Gathered : std::uint32_t {
    ready = 0,      // search it
    absent = 1,     // nobody there (dead unit): no action
    bad_state = 2,  // contradictory numbers: no action, flagged
};

}  // namespace augur::kit

#endif  // AUGUR_KIT_FIELDS_H
