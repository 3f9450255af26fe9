// Skirmish: a tactical battle, one agent against and beside up to eight others.
//
// Every unit acts once a ply, all at the same moment: targets are chosen and hits are counted where units stood when
// the ply began, then units move, then health changes. The agent chooses by search; the units around it follow a plain
// script (strike the nearest enemy in reach, else walk towards it; healers mend the nearest hurt friend). Rewards are
// health won and lost, the agent's own weighing more than its friends'. Looking ahead pays: a shot must be reloaded, so
// a ranged unit gains by stepping back in between, and slower melee units never reach one that does; a guard, a volley
// or a mending circle is ready only every dozen plies; a sprint away costs the next shot; wounded enemies die sooner.
#ifndef AUGUR_RULES_SKIRMISH_H
#define AUGUR_RULES_SKIRMISH_H

#include <augur/kit/rules.h>

#include "rules/skirmish_units.h"

namespace augur::rules {

struct Skirmish : SkirmishUnits {
    static constexpr const char* kName = "skirmish";
    static constexpr int kActions = kActionCount;
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr bool kChance = false;
    static constexpr bool kProvable = false;
    static constexpr int kMaxDepth = 48;  // positions relative to the agent stay within 16 bits that long
    static constexpr int kHorizon = 12;
    static constexpr std::int32_t kDiscount = kit::q16(0.85);  // the others are foreseen well for few plies only
    static constexpr float kPuct = 0.4f;
    static constexpr float kUct = 0.2f;
    static constexpr int kNeighbours = 16;  // gather looks at so many and keeps kOthers
    static constexpr int kCellShift = 11;   // units see 8.0 far, up to 16.0 along the cells
    static constexpr int kOthers = 8;
    static constexpr int kSeats = kOthers + 1;  // the agent is seat 0, the others follow by distance
    static constexpr std::uint32_t kNobody = 0xffffffffu;

    // Rewards, Q16. Per point of health:
    static constexpr std::int32_t kDealtWeight = 500;  // what the agent itself dealt or mended
    static constexpr std::int32_t kFocusWeight = 20;   // what is missing of an enemy's health when the agent struck it
    static constexpr std::int32_t kLostWeight = 20;    // minus: what the agent lost
    static constexpr std::int32_t kTeamWeight = 30;    // what enemies lost; minus: what the agent and its friends lost
    // Per event:
    static constexpr std::int32_t kKillReward = 2000;     // an enemy struck by the agent died
    static constexpr std::int32_t kTeamKillReward = 200;  // an enemy died; minus: the agent or a friend died
    static constexpr std::int32_t kDeathReward = 2000;    // minus: the agent died
    static constexpr std::int32_t kMoveCost = 64;         // minus: the agent walked; standing still wins ties
    // Per position unit of the way that is left: to where the agent can strike or mend (a ranged unit may stay kLeeway
    // outside of its reach), for an idle healer to kEscort from a friend, with nobody in sight to the objective.
    static constexpr std::int32_t kWayWeight = 16;
    static constexpr std::int32_t kLeeway = 512;
    static constexpr std::int32_t kEscort = 768;
    static constexpr std::int32_t kUneasyRadius =
        768;  // in rollouts, who is not melee steps back from an enemy so near
    // Every ply costs the same, also those after the horizon or after the agent's death (all of them at once): that
    // moves every return down by half without changing which is best. An action never tried counts as 0 in PUCT, so now
    // each is tried before any is repeated.
    static constexpr std::int32_t kUpkeep = 4915;
    static constexpr std::int32_t kUpkeepAhead = static_cast<std::int32_t>(
        static_cast<std::int64_t>(kUpkeep) * kDiscount / (kit::kOne - kDiscount));  // of all later plies, seen from now

    // 76 bytes. Dead or missing units are all zero.
    struct State {
        // x in the low half, y in the high half, relative to where the agent stood at the root
        std::uint32_t place[kSeats];
        // health in bits 0-7, cooldown 8-11, ability 12-15, kind 16-17, friend of the agent 18
        std::uint32_t status[kSeats];
        std::uint32_t objective;  // as place, scaled into sight; 0: none
    };

    // ---- The state's words

    AUGUR_HD_INLINE static constexpr std::int32_t x_of(std::uint32_t place) {
        return static_cast<std::int32_t>(place << 16) >> 16;
    }
    AUGUR_HD_INLINE static constexpr std::int32_t y_of(std::uint32_t place) {
        return static_cast<std::int32_t>(place) >> 16;
    }
    AUGUR_HD_INLINE static constexpr std::uint32_t place_of(std::int32_t x, std::int32_t y) {
        return (static_cast<std::uint32_t>(x) & 0xffffu) | (static_cast<std::uint32_t>(y) << 16);
    }
    AUGUR_HD_INLINE static constexpr std::int32_t health_of(std::uint32_t status) {
        return static_cast<std::int32_t>(status & 0xffu);
    }
    AUGUR_HD_INLINE static constexpr std::int32_t cooldown_of(std::uint32_t status) {
        return static_cast<std::int32_t>((status >> 8) & 15u);
    }
    AUGUR_HD_INLINE static constexpr std::int32_t ability_of(std::uint32_t status) {
        return static_cast<std::int32_t>((status >> 12) & 15u);
    }
    AUGUR_HD_INLINE static constexpr int kind_of(std::uint32_t status) { return static_cast<int>((status >> 16) & 3u); }
    AUGUR_HD_INLINE static constexpr bool friendly(std::uint32_t status) { return ((status >> 18) & 1u) != 0; }
    AUGUR_HD_INLINE static constexpr bool hurt(std::uint32_t status) {
        return health_of(status) < full_health(kind_of(status));
    }
    AUGUR_HD_INLINE static constexpr std::uint32_t status_of(std::int32_t health, std::int32_t cooldown,
                                                             std::int32_t ability, int kind, bool friendly) {
        return static_cast<std::uint32_t>(health) | static_cast<std::uint32_t>(cooldown) << 8 |
               static_cast<std::uint32_t>(ability) << 12 | static_cast<std::uint32_t>(kind) << 16 |
               (friendly ? 1u << 18 : 0u);
    }

    // The word of a seat that is known only at run time; the agent's where there is no such seat. On a GPU by
    // selection, because an index into registers would move them to memory.
    AUGUR_HD_INLINE static std::uint32_t pick(const std::uint32_t (&words)[kSeats], std::uint32_t seat) {
#if AUGUR_DEVICE_CODE
        std::uint32_t word = words[0];
        AUGUR_UNROLL
        for (std::uint32_t j = 1; j < kSeats; ++j)
            word = j == seat ? words[j] : word;
        return word;
#else
        return words[seat < kSeats ? seat : 0];
#endif
    }

    // ---- What the agent sees

    // A key orders units by distance, then seat: grains << 4 | seat; kNobody when there is none.
    struct View {
        std::uint32_t enemy;    // nearest living enemy
        std::uint32_t company;  // nearest living friend
        std::uint32_t target;   // nearest whom the agent could strike or mend: an enemy, or for a healer a hurt friend
        std::uint32_t weakest;  // of the targets in reach: health << 4 | seat of the one with the least
        std::int32_t in_reach;  // targets in reach
        std::int32_t patients;  // hurt friends, the agent included, within the mending circle
    };
    template <class Team>
    AUGUR_HD_INLINE static View view(const State& s, const Team& team) {
        const int kind = kind_of(s.status[0]);
        const bool healer = kind == kHealer;
        const std::uint32_t reach = reach_grains(kind);
        const std::int32_t x = x_of(s.place[0]), y = y_of(s.place[0]);
        View v = {kNobody, kNobody, kNobody, kNobody, 0, 0};
        team.template each<kOthers>([&](std::uint32_t i) {
            const std::uint32_t j = i + 1, status = pick(s.status, j), place = pick(s.place, j);
            const std::uint32_t distance = grains(x_of(place) - x, y_of(place) - y);
            const std::uint32_t key = (distance << 4) | j;
            const bool alive = health_of(status) > 0;
            const bool enemy = alive && !friendly(status);
            const bool patient = alive && friendly(status) && hurt(status);
            const bool target = healer ? patient : enemy;
            const bool reached = target && distance <= reach;
            v.enemy = enemy ? kit::minimum(v.enemy, key) : v.enemy;
            v.company = alive && friendly(status) ? kit::minimum(v.company, key) : v.company;
            v.target = target ? kit::minimum(v.target, key) : v.target;
            v.weakest = reached ? kit::minimum(v.weakest, (status & 0xffu) << 4 | j) : v.weakest;
            v.in_reach += reached ? 1 : 0;
            v.patients += patient && distance <= grains_across(kCircleRadius) ? 1 : 0;
        });
        return {team.lowest(v.enemy),   team.lowest(v.company), team.lowest(v.target),
                team.lowest(v.weakest), team.sum(v.in_reach),   team.sum(v.patients) + (hurt(s.status[0]) ? 1 : 0)};
    }

    AUGUR_HD_INLINE static View view(const State& s) {
        return view(s, kit::Alone{});
    }

    // ---- A ply in parts

    // Which of attack, focus, retreat and ability are possible, one bit each.
    AUGUR_HD_INLINE static std::uint32_t possible_deeds(const State& s, const View& v) {
        const int kind = kind_of(s.status[0]);
        const bool loaded = cooldown_of(s.status[0]) == 0;
        const bool useful = kind == kHealer   ? v.patients > 0
                            : kind == kRanged ? v.in_reach > 0
                                              : (v.enemy >> 4) <= grains_across(kThreatRadius);
        return (loaded && v.in_reach > 0 ? 1u << kAttack : 0u) | (loaded && v.in_reach > 1 ? 1u << kFocus : 0u) |
               (v.enemy != kNobody ? 1u << kRetreat : 0u) |
               (useful && ability_of(s.status[0]) == 0 ? 1u << kAbility : 0u);
    }

    // What the agent does in a ply.
    struct Deed {
        std::uint32_t hits;       // whom, one bit a seat
        std::int32_t blow, mend;  // for how much each
        std::uint32_t place;      // where it goes
        bool strikes;             // the cooldown starts
        bool walks;
    };
    template <class Team>
    AUGUR_HD_INLINE static Deed deed_of(const State& s, const View& v, int action, const Team& team) {
        const int kind = kind_of(s.status[0]);
        const bool healer = kind == kHealer;
        const std::uint32_t own = s.place[0], target = pick(s.place, v.target & 15u);

        const bool area = action == kAbility && kind != kMelee;
        const bool single = action == kAttack || action == kFocus;
        const std::uint32_t centre = healer ? own : target;
        const std::uint32_t radius = healer ? grains_across(kCircleRadius) : grains_across(kVolleyRadius);
        const auto struck = [&](std::uint32_t status, std::uint32_t place) {
            const bool side = friendly(status) == healer && health_of(status) > 0;
            return side && grains(x_of(place) - x_of(centre), y_of(place) - y_of(centre)) <= radius;
        };
        std::uint32_t within = 0;
        team.template each<kOthers>(
            [&](std::uint32_t i) { within |= struck(pick(s.status, i + 1), pick(s.place, i + 1)) ? 2u << i : 0u; });
        within = team.unite(within) | (struck(s.status[0], own) ? 1u : 0u);
        const std::uint32_t chosen = 1u << ((action == kFocus ? v.weakest : v.target) & 15u);
        const std::int32_t amount = area ? (healer ? kCircleAmount : kVolleyDamage) : strike_amount(kind);

        const bool sprint = action == kRetreat;
        const std::uint32_t threat = pick(s.place, v.enemy & 15u);
        Heading h = heading_of(action & 7);
        if (sprint) {
            h = heading(x_of(own) - x_of(threat), y_of(own) - y_of(threat));
            if (h.x == 0 && h.y == 0) h.x = 1;
        }
        const bool walks = action < kHold || sprint;
        const std::int32_t far = walks ? pace(kind, h, sprint) : 0;
        return {area     ? within
                : single ? chosen
                         : 0u,
                healer ? 0 : amount,
                healer ? amount : 0,
                place_of(x_of(own) + h.x * far, y_of(own) + h.y * far),
                single || (area && !healer),
                walks};
    }

    // What everybody else does: strike or mend the nearest target in reach if loaded, else hold; walk to one out of
    // reach; hold where there is none.
    struct Script {
        std::uint64_t blows, mends;    // points each seat gets, 7 bits a seat
        std::uint32_t strikes, walks;  // who does, one bit a seat
        std::uint32_t place[kOthers];  // where seats 1 .. go
    };
    static_assert(kOthers * kUnits[kMelee].amount < 128 && kOthers * kUnits[kRanged].amount < 128);
    template <class Team>
    AUGUR_HD_INLINE static Script script_of(const State& s, const Team& team) {
        const auto word = [](std::uint32_t status) {  // alive, friend, wounded: one bit each in three bytes
            return (health_of(status) > 0 ? 1u : 0u) | (friendly(status) ? 1u << 10 : 0u) |
                   (hurt(status) ? 1u << 20 : 0u);
        };
        std::uint32_t all = 0;
        team.template each<kOthers>([&](std::uint32_t i) { all |= word(pick(s.status, i + 1)) << (i + 1); });
        all = team.unite(all) | word(s.status[0]);
        const std::uint32_t alive = all & 0x1ffu, friends = (all >> 10) & 0x1ffu, wounded = (all >> 20) & 0x1ffu;

        Script script = {0, 0, 0, 0, {}};
        team.spread(script.place, [&](std::uint32_t i) {
            const std::uint32_t own = i + 1, status = pick(s.status, own), place = pick(s.place, own);
            const int kind = kind_of(status);
            const std::int32_t x = x_of(place), y = y_of(place);
            const std::uint32_t side = friendly(status) ? friends : ~friends;
            const std::uint32_t wanted = kind == kHealer ? side & wounded & ~(1u << own) : ~side;
            const std::uint32_t targets = health_of(status) > 0 ? alive & wanted : 0u;
            const std::uint32_t to_agent = grains(x_of(s.place[0]) - x, y_of(s.place[0]) - y) << 4;
            std::uint32_t aim = targets & 1u ? to_agent : kNobody;
            AUGUR_LANES
            for (std::uint32_t j = 1; j < kSeats; ++j) {
                const std::uint32_t key = grains(x_of(s.place[j]) - x, y_of(s.place[j]) - y) << 4 | j;
                aim = kit::minimum(aim, key | (((targets >> j) & 1u) - 1u));  // kNobody unless a target
            }
            const std::uint32_t seat = aim & 15u;
            const bool found = aim != kNobody, reached = (aim >> 4) <= reach_grains(kind);
            const bool strikes = found && reached && cooldown_of(status) == 0, walks = found && !reached;
            const std::uint64_t points = static_cast<std::uint64_t>(strikes ? strike_amount(kind) : 0)
                                         << (strikes ? 7u * seat : 0u);
            script.blows += kind == kHealer ? 0u : points;
            script.mends += kind == kHealer ? points : 0u;
            script.strikes |= strikes ? 1u << own : 0u;
            script.walks |= walks ? 1u << own : 0u;
            const std::uint32_t there = pick(s.place, seat);
            const Heading h = heading(x_of(there) - x, y_of(there) - y);
            const std::int32_t far = walks ? pace(kind, h, false) : 0;
            return place_of(x + h.x * far, y + h.y * far);
        });
        script.blows = team.sum(script.blows);
        script.mends = team.sum(script.mends);
        const std::uint32_t doings = team.unite(script.strikes | script.walks << 16);
        script.strikes = doings & 0xffffu;
        script.walks = doings >> 16;
        return script;
    }
    AUGUR_HD_INLINE static constexpr std::int32_t points_at(std::uint64_t packed, std::uint32_t seat) {
        return static_cast<std::int32_t>(packed >> (7 * seat)) & 127;
    }

    // The reward for the agent's own step from s.place[0] to place.
    AUGUR_HD_INLINE static std::int32_t way_gained(const State& s, const View& v, std::uint32_t place) {
        const int kind = kind_of(s.status[0]);
        const bool idle = v.target == kNobody;
        const bool follows = idle && kind == kHealer && v.company != kNobody;
        const bool marches = idle && !follows && v.enemy == kNobody && s.objective != 0;
        const std::uint32_t there = marches ? s.objective : pick(s.place, (follows ? v.company : v.target) & 15u);
        const std::int32_t near = follows ? kEscort
                                  : marches
                                      ? 0
                                      : by_kind(kind, kUnits[0].reach, kUnits[1].reach + kLeeway, kUnits[2].reach);
        const std::int32_t before = length(x_of(there) - x_of(s.place[0]), y_of(there) - y_of(s.place[0]));
        const std::int32_t after = length(x_of(there) - x_of(place), y_of(there) - y_of(place));
        const std::int32_t nearer = kit::maximum(before - near, 0) - kit::maximum(after - near, 0);
        return idle && !follows && !marches ? 0 : nearer * kWayWeight;
    }

    // ---- The rules, as kit/rules.h asks for them

    AUGUR_HD_INLINE static kit::ActionMask<kActions> legal(const State& s, int) {
        const std::uint32_t bits = ((1u << kAttack) - 1) | possible_deeds(s, view(s, kit::Alone{}));
        return kit::ActionMask<kActions>::from_bits(terminal(s) ? 0u : bits);
    }

    AUGUR_HD_INLINE static int to_act(const State&) {
        return 0;
    }

    AUGUR_HD_INLINE static bool terminal(const State& s) {
        return health_of(s.status[0]) == 0;
    }

    // One ply. Cost: about 3,000 scalar integer operations, on a GPU all in registers; a team shares most of them, and
    // on a CPU some are vectors: measured 0.4 us a ply of a rollout.
    template <class Team>
    AUGUR_HD_INLINE static kit::Step<1> step(State& s, const kit::JointAction<1>& joint, kit::Random&,
                                             const Team& team) {
        const bool over = terminal(s);
        const View v = view(s, team);
        const int action = joint.action[0];
        const Deed deed = deed_of(s, v, action, team);
        const Script script = script_of(s, team);

        std::int32_t gain = 0;
        // The status of seat j after the ply; adds to gain.
        const auto settled = [&](std::uint32_t j, std::uint32_t status) {
            const bool agent = j == 0;
            const int kind = kind_of(status);
            const std::int32_t full = full_health(kind), health = health_of(status);
            const bool hit = ((deed.hits >> j) & 1u) != 0;
            const std::int32_t blow = hit ? deed.blow : 0, mend = hit ? deed.mend : 0;
            const bool guard = guarded(kind, ability_of(status), agent && action == kAbility);
            const std::int32_t after =
                settle(kind, health, points_at(script.blows, j) + blow, points_at(script.mends, j) + mend, guard);
            const bool died = health > 0 && after == 0;

            const std::int32_t loss = (health - after) * kTeamWeight + (died ? kTeamKillReward : 0);
            gain += agent || friendly(status) ? -loss : loss;
            gain += (kit::minimum(softened(blow, guard), health) + kit::minimum(mend, full - health)) * kDealtWeight;
            gain += blow > 0 ? (full - after) * kFocusWeight + (died ? kKillReward : 0) : 0;

            const bool struck = agent ? deed.strikes : ((script.strikes >> j) & 1u) != 0;
            const bool held = agent ? action == kHold : (((script.strikes | script.walks) >> j) & 1u) == 0;
            const std::int32_t cooldown =
                next_cooldown(kind, cooldown_of(status), struck, held, agent && action == kRetreat);
            const std::int32_t ability = next_ability(ability_of(status), agent && action == kAbility);
            return after > 0 ? status_of(after, cooldown, ability, kind, friendly(status)) : 0u;
        };
        std::uint32_t others[kOthers];
        team.spread(others, [&](std::uint32_t i) { return settled(i + 1, pick(s.status, i + 1)); });
        gain = team.sum(gain) + way_gained(s, v, deed.place) - kUpkeep - (deed.walks ? kMoveCost : 0);
        const std::int32_t health_before = health_of(s.status[0]);
        const std::uint32_t own = settled(0, s.status[0]);
        const bool dead = own == 0;
        gain -= (health_before - health_of(own)) * kLostWeight + (dead ? kDeathReward + kUpkeepAhead : 0);
        if (over) return {{0}, true};
        s.status[0] = own;
        s.place[0] = dead ? 0u : deed.place;
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kOthers; ++i) {
            s.status[i + 1] = others[i];
            s.place[i + 1] = others[i] != 0 ? script.place[i] : 0u;
        }
        return {{gain}, dead};
    }
    AUGUR_HD_INLINE static kit::Step<1> step(State& s, const kit::JointAction<1>& joint, kit::Random& random) {
        return step(s, joint, random, kit::Alone{});
    }

    // What a network sees. Ten features a seat, all 0 where nobody lives: alive; friend +1, enemy -1; way from the
    // agent along x and y, in cells of sight; health / 64; cooldown / 16; ability / 16; melee, ranged, healer. Then the
    // objective: given; way along x and y.
    static constexpr int kSeatFeatures = 10;
    static constexpr int kFeatures = kSeats * kSeatFeatures + 3;
    static constexpr float kGuidedPuct = 0.2f;  // docs/benchmarks/model_strength.md
    AUGUR_HD_INLINE static float feature(const State& s, int index) {
        constexpr float kPerCell = 1.0f / (1 << kCellShift);
        const int seat = index / kSeatFeatures, what = index % kSeatFeatures;
        if (seat == kSeats) {
            if (what == 0 || s.objective == 0) return s.objective != 0 ? 1.0f : 0.0f;
            return kPerCell * static_cast<float>(what == 1 ? x_of(s.objective) - x_of(s.place[0])
                                                           : y_of(s.objective) - y_of(s.place[0]));
        }
        const std::uint32_t status = s.status[seat], place = s.place[seat];
        if (health_of(status) == 0) return 0.0f;
        switch (what) {
            case 0:
                return 1.0f;
            case 1:
                return seat == 0 || friendly(status) ? 1.0f : -1.0f;
            case 2:
                return kPerCell * static_cast<float>(x_of(place) - x_of(s.place[0]));
            case 3:
                return kPerCell * static_cast<float>(y_of(place) - y_of(s.place[0]));
            case 4:
                return static_cast<float>(health_of(status)) * (1.0f / 64.0f);
            case 5:
                return static_cast<float>(cooldown_of(status)) * (1.0f / 16.0f);
            case 6:
                return static_cast<float>(ability_of(status)) * (1.0f / 16.0f);
            default:
                return kind_of(status) == what - 7 ? 1.0f : 0.0f;
        }
    }

    AUGUR_HD_INLINE static std::uint64_t hash(const State& s) {
        std::uint64_t h = kit::mix64(s.objective + 1ull);
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kSeats; ++i) {
            h = kit::combine64(h, static_cast<std::uint64_t>(s.place[i]) << 32 | s.status[i]);
        }
        return h;
    }

    // The ability or a strike if there is one, a step back while reloading, an approach: a legal action, always the
    // same one in the same state.
    template <class Team>
    AUGUR_HD_INLINE static int rollout_action(const State& s, int, kit::Random&, const Team& team) {
        const View v = view(s, team);
        const std::uint32_t possible = possible_deeds(s, v);
        const int kind = kind_of(s.status[0]);
        const bool uneasy = kind != kMelee && (v.enemy >> 4) <= grains_across(kUneasyRadius);
        const bool idle = v.target == kNobody;
        const bool follows = idle && kind == kHealer && v.company != kNobody;
        const bool arrived = follows ? (v.company >> 4) <= grains_across(kEscort)
                             : idle  ? s.objective == 0
                                     : v.in_reach > 0;
        const std::uint32_t towards = follows ? v.company : v.target;
        const std::uint32_t there = uneasy             ? pick(s.place, v.enemy & 15u)
                                    : idle && !follows ? s.objective
                                                       : pick(s.place, towards & 15u);
        const std::int32_t dx = x_of(there) - x_of(s.place[0]), dy = y_of(there) - y_of(s.place[0]);
        const int walk = uneasy ? move_of(heading(-dx, -dy)) : arrived ? kHold : move_of(heading(dx, dy));
        return (possible >> kAbility) & 1u  ? kAbility
               : (possible >> kFocus) & 1u  ? kFocus
               : (possible >> kAttack) & 1u ? kAttack
                                            : walk;
    }

    AUGUR_HD_INLINE static int rollout_action(const State& s, int player, kit::Random& random) {
        return rollout_action(s, player, random, kit::Alone{});
    }

    // At the horizon: what the plies after it cost.
    AUGUR_HD_INLINE static std::int32_t evaluate(const State&, int) {
        return -kUpkeep - kUpkeepAhead;
    }

    // True when the agent's words are a living unit's; a broken one is nobody's neighbour.
    AUGUR_HD_INLINE static bool present(const kit::Fields& fields, std::uint32_t agent) {
        const std::int32_t kind = fields.get(kKindWord, agent), health = fields.get(kHealthWord, agent);
        return sound(fields, agent) && health > 0 && health <= full_health(kind);
    }
    AUGUR_HD_INLINE static bool sound(const kit::Fields& fields, std::uint32_t agent) {
        bool good = true;
        for (std::uint32_t w = 0; w < kObjectiveWord; ++w)
            good = good && fields.get(w, agent) != kit::kInvalidWord;
        return good;
    }

    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent,
                                         const std::uint32_t* neighbours, int count) {
        for (int i = 0; i < kSeats; ++i)
            s.place[i] = s.status[i] = 0;
        s.objective = 0;
        if (!sound(fields, agent)) return kit::Gathered::bad_state;
        if (fields.get(kHealthWord, agent) == 0) return kit::Gathered::absent;
        if (!present(fields, agent)) return kit::Gathered::bad_state;

        const std::int32_t x = fields.get(kPositionWord, agent), y = fields.get(kPositionWord + 1, agent);
        const std::int32_t team = fields.get(kTeamWord, agent);
        s.status[0] = status_of_agent(fields, agent, true);
        // The nearest others, but half of the seats go to enemies where there are so many.
        int friends = 0, enemies = 0;
        for (int i = 0; i < kNeighbours && i < count; ++i) {
            const bool friendly = fields.get(kTeamWord, neighbours[i]) == team;
            friends += friendly ? 1 : 0;
            enemies += friendly ? 0 : 1;
        }
        const int most_friends = kOthers - kit::minimum(enemies, kOthers / 2);
        const int most_enemies = kOthers - kit::minimum(friends, most_friends);
        int seat = 1;
        friends = enemies = 0;
        for (int i = 0; i < kNeighbours && i < count; ++i) {
            const std::uint32_t other = neighbours[i];
            const bool friendly = fields.get(kTeamWord, other) == team;
            if (friendly ? friends == most_friends : enemies == most_enemies) continue;
            friends += friendly ? 1 : 0;
            enemies += friendly ? 0 : 1;
            const std::int32_t dx = fields.get(kPositionWord, other) - x, dy = fields.get(kPositionWord + 1, other) - y;
            if (kit::maximum(kit::absolute(dx), kit::absolute(dy)) > kSight) continue;
            s.place[seat] = place_of(dx, dy);
            s.status[seat] = status_of_agent(fields, other, friendly);
            ++seat;
        }
        s.objective = objective_of(fields, agent, x, y);
        return kit::Gathered::ready;
    }
    static constexpr std::int32_t kSight = 2 << kCellShift;  // nobody farther along an axis enters a state

  private:
    AUGUR_HD_INLINE static std::uint32_t status_of_agent(const kit::Fields& fields, std::uint32_t agent,
                                                         bool friendly) {
        return status_of(fields.get(kHealthWord, agent), fields.get(kCooldownWord, agent),
                         fields.get(kAbilityWord, agent), fields.get(kKindWord, agent), friendly);
    }

    // Where to go, seen from the agent; halved until it is in sight, which keeps the direction.
    AUGUR_HD_INLINE static std::uint32_t objective_of(const kit::Fields& fields, std::uint32_t agent, std::int32_t x,
                                                      std::int32_t y) {
        const std::int32_t to_x = fields.get(kObjectiveWord, agent), to_y = fields.get(kObjectiveWord + 1, agent);
        if (to_x < 0 || to_y < 0) return 0;
        std::int32_t dx = to_x - x, dy = to_y - y;
        while (kit::maximum(kit::absolute(dx), kit::absolute(dy)) > (1 << kCellShift)) {
            dx /= 2;
            dy /= 2;
        }
        return place_of(dx, dy);
    }
};

static_assert(sizeof(Skirmish::State) == 76);
static_assert(kit::Rules<Skirmish>);

}  // namespace augur::rules

#endif  // AUGUR_RULES_SKIRMISH_H
