// The scenes' arrays bound to planners, field by field.
#ifndef AUGUR_TESTS_BENCH_BINDINGS_H
#define AUGUR_TESTS_BENCH_BINDINGS_H

#include <augur/augur.hpp>
#include <cstddef>
#include <cstdint>

#include "scenes.h"

namespace augur::bench {

// buffer: [agents] of Board. Throws sdk::Error.
inline void bind_boards(sdk::Planner& planner, const sdk::Buffer& buffer) {
    sdk::unwrap(planner.bind<std::uint64_t>("own", buffer, offsetof(Board, own), sizeof(Board)));
    sdk::unwrap(planner.bind<std::uint64_t>("other", buffer, offsetof(Board, other), sizeof(Board)));
}

// buffer: [agents] of Unit. Throws sdk::Error.
inline void bind_units(sdk::Planner& planner, const sdk::Buffer& buffer) {
    sdk::unwrap(planner.bind<float>("position", buffer, offsetof(Unit, position), sizeof(Unit)));
    sdk::unwrap(planner.bind<float>("objective", buffer, offsetof(Unit, objective), sizeof(Unit)));
    sdk::unwrap(planner.bind<std::int32_t>("health", buffer, offsetof(Unit, health), sizeof(Unit)));
    sdk::unwrap(planner.bind<std::int32_t>("kind", buffer, offsetof(Unit, kind), sizeof(Unit)));
    sdk::unwrap(planner.bind<std::int32_t>("team", buffer, offsetof(Unit, team), sizeof(Unit)));
    sdk::unwrap(planner.bind<std::int32_t>("cooldown", buffer, offsetof(Unit, cooldown), sizeof(Unit)));
    sdk::unwrap(planner.bind<std::int32_t>("ability", buffer, offsetof(Unit, ability), sizeof(Unit)));
}

}  // namespace augur::bench

#endif
