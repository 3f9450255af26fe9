// The smallest C++20 host: a few boards of Connect Four, planned with the throwing style of augur.hpp.
#include <augur/augur.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace sdk = augur::sdk;

// The game's own board: bit 7 * column + row, row 0 at the bottom.
struct Board {
    std::uint64_t own = 0;    // of the player to move
    std::uint64_t other = 0;  // of the opponent
};

static int play() {
    std::vector<Board> boards(8);
    std::vector<std::int32_t> columns(boards.size());
    // Three stones on top of each other: board 3 wins at once in column 5.
    boards[3].own = 7ull << (7 * 5);
    boards[3].other = 7ull;

    const sdk::Context context = unwrap(sdk::Context::create());
    const sdk::Buffer board_memory = unwrap(context.register_memory(std::span<const Board>(boards)));
    const sdk::Buffer column_memory = unwrap(context.register_memory(std::span(columns)));

    augur_planner_desc desc = augur_planner_desc_default();
    desc.rules = unwrap(context.rules("connect_four")).id();
    desc.agent_capacity = static_cast<std::uint32_t>(boards.size());
    desc.simulations = 200;
    sdk::Planner planner = unwrap(context.make_planner(desc));
    unwrap(planner.bind<std::uint64_t>("own", board_memory, offsetof(Board, own), sizeof(Board)));
    unwrap(planner.bind<std::uint64_t>("other", board_memory, offsetof(Board, other), sizeof(Board)));
    unwrap(planner.bind_actions<std::int32_t>(column_memory));

    unwrap(planner.request(desc.agent_capacity));  // returns at once
    // ... here the game goes on ...
    const augur_frame_result frame = unwrap(planner.collect());
    for (std::size_t i = 0; i < columns.size(); ++i)
        std::printf("board %zu: column %d\n", i, columns[i]);
    std::printf("%llu simulations in %.3f ms\n", static_cast<unsigned long long>(frame.simulations),
                static_cast<double>(frame.request_to_done_ns) / 1e6);
    return columns[3] == 5 ? 0 : 1;
}

int main() {
    try {
        return play();
    } catch (const sdk::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
