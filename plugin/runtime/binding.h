// Where the host's numbers lie, checked against what the rules want.
#ifndef AUGUR_RUNTIME_BINDING_H
#define AUGUR_RUNTIME_BINDING_H

#include <augur/buffer.h>

#include <string>

#include "backend/backend.h"
#include "runtime/buffer.h"

namespace augur {

// One number per agent, or a row of them.
struct Bound {
    Buffer* buffer = nullptr;  // null: not bound
    std::uint64_t offset_bytes = 0;
    std::uint64_t stride_bytes = 0;
    augur_format format = AUGUR_FORMAT_F32;
    std::uint32_t size_bytes = 0;  // of one agent's
};

// Components [first, first + count) of a game, counted over all fields in their order; a row is one component.
struct FieldPlace {
    const kit::FieldInfo* field;
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t width;  // numbers of each component side by side: 1, or those of a row
};

// 0 for a value that is no augur_format.
std::uint32_t format_bytes(std::uint32_t format);

// Components of all fields together.
std::uint32_t component_count(const core::RulesInfo& rules);

// "position" gives all its components, "position.x" (.y .z .w) one. AUGUR_ERROR_NOT_FOUND names those there are.
augur_result find_field(const core::RulesInfo& rules, const char* name, FieldPlace* out);

// "position.x" of a component, or "health" where the field has only one.
std::string component_name(const core::RulesInfo& rules, std::uint32_t component);

// Checks that `items` ("agents", "rows") many rows of `numbers` numbers lie inside a buffer: format, alignment, stride
// (0: packed), extent. *stride gets the bytes from row to row.
augur_result check_extent(const Buffer& buffer, std::uint32_t format, std::uint64_t offset_bytes,
                          std::uint64_t stride_bytes, std::uint32_t numbers, std::uint32_t count, const char* items,
                          std::uint64_t* stride);

// Checks a binding of `count` components of `width` numbers side by side for agents [0, agent_capacity) and fills
// out[0 .. count).
augur_result resolve_binding(const augur_binding& binding, Buffer& buffer, std::uint32_t count,
                             std::uint32_t agent_capacity, Bound* out, std::uint32_t width = 1);

augur_result check_field_format(const kit::FieldInfo& field, std::uint32_t format);
augur_result check_action_format(std::uint32_t format, std::uint32_t action_count);

// Whether any byte of one binding is a byte of the other. Cost: proportional to agents.
bool overlap(const Bound& a, const Bound& b, std::uint32_t agents);

}  // namespace augur

#endif  // AUGUR_RUNTIME_BINDING_H
