// How to write a game. A game is one C++ type, compiled unchanged for CPU and GPU:
//
// clang-format off
//   struct MyGame {
//       static constexpr const char* kName = "my_game";
//       static constexpr int kActions = 7;          // K [1 .. 4096]
//       static constexpr int kPlayers = 2;          // P: 1 single, 2 alternating, 2 .. 4 simultaneous
//       static constexpr kit::Turn kTurn = kit::Turn::alternating;
//       static constexpr bool kChance = false;      // true: step draws from Random
//       static constexpr bool kProvable = true;     // reward only when the game ends, there -1, 0 or +1; no chance; two players
//       static constexpr int kMaxDepth = 42;        // plies; the search never looks further [1 .. 4096]
//       static constexpr int kHorizon = 42;         // default look-ahead
//       static constexpr std::int32_t kDiscount = kit::kOne;  // per ply, Q16 [0 .. 1]
//       static constexpr float kPuct = 1.5f, kUct = 1.0f;     // default exploration constants
//       static constexpr int kNeighbours = 0;       // most other agents that gather sees [0 .. 16]
//       static constexpr kit::FieldInfo kFields[] = {{"board", "...", kit::FieldKind::bits64}, ...};
//       static constexpr const char* kActionNames[kActions] = {...};
//
//       struct State { ... };                       // trivially copyable, no padding, at most 1024 bytes
//
//       // All functions are AUGUR_HD static, never write outside what they were given, and always end.
//       static kit::ActionMask<kActions> legal(const State&, int player);   // player: who is asked (simultaneous), else to_act
//       static int to_act(const State&);                                    // 0 .. P-1; 0 for simultaneous
//       static bool terminal(const State&);
//       static kit::Step<kPlayers> step(State&, const kit::JointAction<P>&, kit::Random&);  // legal actions; state advances
//       static std::uint64_t hash(const State&);                            // equal states, equal hash
//       static kit::Gathered gather(State&, const kit::Fields&, std::uint32_t agent, const std::uint32_t* neighbours, int count);
//
//       // Optional, for rollouts (default: uniform over the legal actions); the second finds a legal action without the mask:
//       static int rollout_action(const State&, int player, const kit::ActionMask<kActions>&, kit::Random&);
//       static int rollout_action(const State&, int player, kit::Random&);
//       // Optional, for long plies: the same work shared by a team of threads (kit/team.h). Not with kChance.
//       template <class Team> static kit::Step<P> step(State&, const kit::JointAction<P>&, kit::Random&, const Team&);
//       template <class Team> static int rollout_action(const State&, int player, kit::Random&, const Team&);
//       // Optional, what a network sees of a state, from the side of the player to act; without it the game takes no model.
//       // Every feature is made from whole numbers by + - * and powers of two, so that it is the same on every machine.
//       static constexpr int kFeatures = 42;        // F [1 .. 65536]
//       static float feature(const State&, int index);
//       static constexpr float kGuidedPuct = 1.5f;  // optional: default exploration with a model; else kPuct
//       // Optional, the value at the horizon, Q16; default 0:
//       static std::int32_t evaluate(const State&, int player);
//
//       // With kNeighbours > 0: the uniform grid that finds neighbours.
//       static constexpr int kPositionWord = 0;     // word of x in the fields; y is the next
//       static constexpr int kCellShift = 12;       // a cell is 2^kCellShift units wide; nobody farther than a cell is looked for
//       static bool present(const kit::Fields&, std::uint32_t agent);       // may be somebody's neighbour
//   };
// clang-format on
//
// Rewards are Q16 and belong to the player who acts (alternating: the other player gets the negative), or to each
// player (simultaneous). Scale them so that a whole horizon's return stays in [-1, 1]; beyond it is clamped and
// counted.
#ifndef AUGUR_KIT_RULES_H
#define AUGUR_KIT_RULES_H

#include <augur/kit/fields.h>
#include <augur/kit/fixed.h>
#include <augur/kit/mask.h>
#include <augur/kit/platform.h>
#include <augur/kit/random.h>
#include <augur/kit/team.h>

#include <concepts>
#include <type_traits>

namespace augur::kit {

enum class Turn : std::uint32_t { single = 1, alternating = 2, simultaneous = 3 };

// The actions taken in one ply: one per player that acts at once. Single and alternating games use action[0].
template <int Deciders>
struct JointAction {
    std::int32_t action[Deciders];
};

// What a ply brought.
template <int Rewards>
struct Step {
    std::int32_t reward[Rewards];  // Q16
    bool terminal;
};

// Players that choose at the same node, and rewards per ply.
template <class R>
inline constexpr int kDeciders = R::kTurn == Turn::simultaneous ? R::kPlayers : 1;

template <class R>
using JointActionOf = JointAction<kDeciders<R>>;

template <class R>
using StepOf = Step<kDeciders<R>>;

template <class R>
concept HasRolloutAction = requires(const typename R::State& s, const ActionMask<R::kActions>& m, Random& r) {
    { R::rollout_action(s, 0, m, r) } -> std::convertible_to<int>;
};

// A rollout policy that finds a legal action by itself; every state of such a game that is no end has one.
template <class R>
concept HasFreeRolloutAction = requires(const typename R::State& s, Random& r) {
    { R::rollout_action(s, 0, r) } -> std::convertible_to<int>;
};

// A ply that a team of threads can share, in step and in rollouts.
template <class R>
concept HasTeam = !R::kChance && requires(typename R::State & s, const JointActionOf<R>& a, Random& r, const Alone& t) {
    { R::step(s, a, r, t) } -> std::same_as<StepOf<R>>;
    { R::rollout_action(s, 0, r, t) } -> std::convertible_to<int>;
};

// A game that says what a network sees of a state.
template <class R>
concept HasFeatures = requires(const typename R::State& s) {
    { R::kFeatures } -> std::convertible_to<int>;
    { R::feature(s, 0) } -> std::same_as<float>;
};

template <class R>
concept HasEvaluate = requires(const typename R::State& s) {
    { R::evaluate(s, 0) } -> std::convertible_to<std::int32_t>;
};

// What the search asks of a game; the compiler names what is missing.
template <class R>
concept Rules = std::is_trivially_copyable_v<typename R::State> && sizeof(typename R::State) <= 1024 &&
                requires(typename R::State& s, const typename R::State& c, JointActionOf<R> a, Random& r,
                         const Fields& f) {
    { R::legal(c, 0) } -> std::same_as<ActionMask<R::kActions>>;
    { R::to_act(c) } -> std::convertible_to<int>;
    { R::terminal(c) } -> std::convertible_to<bool>;
    { R::step(s, a, r) } -> std::same_as<StepOf<R>>;
    { R::hash(c) } -> std::same_as<std::uint64_t>;
    { R::gather(s, f, 0u, static_cast<const std::uint32_t*>(nullptr), 0) } -> std::same_as<Gathered>;
};

}  // namespace augur::kit

#endif  // AUGUR_KIT_RULES_H
