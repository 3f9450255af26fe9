// The games that the CPU backend can search. A game is one row; tests add rows of their own.
#ifndef AUGUR_BACKEND_CPU_GAMES_H
#define AUGUR_BACKEND_CPU_GAMES_H

#include "backend/backend.h"

namespace augur {

struct CpuGame {
    const core::RulesInfo* info;
    EngineMemory (*memory)(const EngineDesc& desc);
    augur_result (*make_engine)(const EngineDesc& desc, const BackendHost& host, std::unique_ptr<Engine>* out,
                                std::string& message);
};

// Row number index; null past the end.
const CpuGame* cpu_game(std::uint32_t index);

// Adds a game for the rest of the process. Not thread safe: call it before any context exists.
void add_cpu_game(const CpuGame& game);

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_GAMES_H
