// Skirmish: a tactical battle, one agent against and beside up to eight others.
//
// Every unit acts once a ply, all at the same moment: targets are chosen and hits are counted where units stood when
// the ply began, then units move, then health changes. The agent chooses by search; the units around it follow a plain
// script (strike the nearest enemy in reach, else walk towards it; healers mend the nearest hurt friend). Rewards are
// health won and lost, the agent's own weighing more than its friends'. Looking ahead pays: a shot must be reloaded, so
// a ranged unit gains by stepping back in between; a guard, a volley or a mending is ready only every dozen plies; a
// sprint away costs the next shot.
//
// Whole numbers only. A host (or a shader) that moves all units by the same rules needs no more than kUnits, the
// constants beside it and the functions below them.
#ifndef AUGUR_RULES_SKIRMISH_H
#define AUGUR_RULES_SKIRMISH_H

#include <augur/kit/rules.h>

namespace augur::rules {

struct Skirmish {
    // ---- What a host writes and reads
    // ------------------------------------------------------------------------------------------

    static constexpr std::int32_t kScale = 256;                // position units per 1.0 of the world
    static constexpr std::int32_t kWorldSize = 4096 * kScale;  // positions are 0 .. kWorldSize in x and y
    static constexpr std::int32_t kTeams = 8;                  // team 0 .. 7; whoever is of another team is an enemy

    enum Kind : int { kMelee = 0, kRanged = 1, kHealer = 2, kKinds = 3 };

    enum Action : int {
        kMoveEast = 0,       // +x
        kMoveNorthEast = 1,  // +x +y
        kMoveNorth = 2,      // +y
        kMoveNorthWest = 3,
        kMoveWest = 4,
        kMoveSouthWest = 5,
        kMoveSouth = 6,
        kMoveSouthEast = 7,
        kHold = 8,      // stand: the cooldown runs twice as fast
        kAttack = 9,    // strike the nearest enemy in reach (healer: mend the nearest hurt friend in reach)
        kFocus = 10,    // strike the weakest enemy in reach (healer: mend the weakest hurt friend in reach)
        kRetreat = 11,  // sprint away from the nearest enemy; turning round again takes kSprintCooldown plies
        kAbility = 12,  // melee: guard; ranged: volley; healer: mending circle
        kActionCount = 13
    };

    // What a kind of unit can do. Health and amounts are whole points, times are plies, distances are position units.
    struct Unit {
        std::int32_t full_health;
        std::int32_t amount;    // damage of a strike; healer: points mended
        std::int32_t cooldown;  // plies from one strike to the next
        std::int32_t reach;     // distance
        std::int32_t straight;  // distance walked a ply along an axis
        std::int32_t diagonal;  // distance walked a ply along each axis of a diagonal
    };
    static constexpr Unit kUnits[kKinds] = {
        {120, 12, 2, 384, 192, 136},  // melee: 1.5 reach, 0.75 a ply
        {70, 9, 3, 1536, 168, 119},   // ranged: 6.0 reach
        {80, 8, 2, 1280, 176, 124},   // healer: 5.0 reach
    };
    static constexpr std::int32_t kAbilityPeriod =
        12;  // plies until an ability is ready again; field "ability" counts down
    static constexpr std::int32_t kGuardPlies =
        4;  // guard: damage is halved (rounded up) for so many plies, the first included
    static constexpr std::int32_t kVolleyDamage =
        14;  // volley: to the nearest enemy in reach and every enemy within kVolleyRadius of it
    static constexpr std::int32_t kVolleyRadius = 512;  // the volley also starts the cooldown
    static constexpr std::int32_t kCircleAmount =
        20;  // mending circle: to the healer and every friend within kCircleRadius
    static constexpr std::int32_t kCircleRadius = 1024;
    static constexpr std::int32_t kSprintCooldown = 2;  // cooldown after a retreat is at least this
    static constexpr std::int32_t kDistanceGrain = 4;   // squared distances are compared after a shift by so many bits
    static constexpr std::int32_t kMostCooldown = 15;
    static constexpr std::int32_t kMostHealth = 120;

    // Fields, and the word each begins at.
    static constexpr std::uint32_t kPositionWord = 0, kHealthWord = 2, kKindWord = 3, kTeamWord = 4, kCooldownWord = 5,
                                   kAbilityWord = 6, kObjectiveWord = 7;
    static constexpr kit::FieldInfo kFields[] = {
        {"position", "Where the unit stands, x and y.", kit::FieldKind::fixed, 2, kScale, 0, kWorldSize},
        {"health", "Points left: 0 is dead, at most the kind's full health.", kit::FieldKind::integer, 1, 1, 0,
         kMostHealth},
        {"kind", "0 melee, 1 ranged, 2 healer.", kit::FieldKind::integer, 1, 1, 0, kKinds - 1},
        {"team", "Units of other teams are enemies.", kit::FieldKind::integer, 1, 1, 0, kTeams - 1},
        {"cooldown", "Plies until the unit can strike.", kit::FieldKind::integer, 1, 1, 0, kMostCooldown, true, 0},
        {"ability", "Plies until the ability is ready.", kit::FieldKind::integer, 1, 1, 0, kAbilityPeriod, true, 0},
        {"objective", "Where to go while no enemy is in sight; negative: nowhere.", kit::FieldKind::fixed, 2, kScale,
         -kScale, kWorldSize, true, -kScale},
    };
    static constexpr const char* kActionNames[kActionCount] = {
        "east",       "north-east", "north",  "north-west", "west",    "south-west", "south",
        "south-east", "hold",       "attack", "focus",      "retreat", "ability"};

    // ---- What the search needs to know
    // -----------------------------------------------------------------------------------------

    static constexpr const char* kName = "skirmish";
    static constexpr int kActions = kActionCount;
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr bool kChance = false;
    static constexpr bool kProvable = false;
    static constexpr int kMaxDepth = 48;  // positions relative to the agent stay within 16 bits that long
    static constexpr int kHorizon = 12;
    static constexpr std::int32_t kDiscount = kit::q16(0.95);
    static constexpr float kPuct = 0.25f;
    static constexpr float kUct = 0.1f;
    static constexpr int kNeighbours = 8;
    static constexpr int kCellShift = 12;           // units see 16.0 far
    static constexpr int kSeats = kNeighbours + 1;  // the agent is seat 0, the others follow by distance
    static constexpr std::uint32_t kNobody = 0xffffffffu;

    // Rewards in Q16 a point of health.
    static constexpr std::int32_t kTeamWeight = 16;      // any enemy's loss; minus any friend's
    static constexpr std::int32_t kOwnWeight = 144;      // what the agent itself dealt or mended; minus what it lost
    static constexpr std::int32_t kKillReward = 2048;    // an enemy died; minus: a friend
    static constexpr std::int32_t kDeathReward = 16384;  // minus: the agent died
    static constexpr std::int32_t kClearReward = 12288;  // at the horizon: no enemy left in sight

    // 76 bytes. Dead or missing units are all zero.
    struct State {
        std::uint32_t
            place[kSeats];  // x in the low half, y in the high half, relative to where the agent stood at the root
        std::uint32_t
            status[kSeats];       // health bits 0-7, cooldown 8-11, ability 12-15, kind 16-17, friend of the agent 18
        std::uint32_t objective;  // as place, scaled into sight; 0: none
    };

    // ---- Parts of the rules that every copy of them shares
    // ---------------------------------------------------------------------

    // One of three values by kind, without a table in memory.
    AUGUR_HD_INLINE static constexpr std::int32_t by_kind(int kind, std::int32_t melee, std::int32_t ranged,
                                                          std::int32_t healer) {
        return kind == kMelee ? melee : kind == kRanged ? ranged : healer;
    }

    // Distances are compared as squares in grains of 16, so that a square and a seat number fit in one word.
    // Never overflows for lengths below 46340.
    AUGUR_HD_INLINE static constexpr std::uint32_t grains(std::int32_t dx, std::int32_t dy) {
        const std::uint32_t x = static_cast<std::uint32_t>(dx), y = static_cast<std::uint32_t>(dy);
        return (x * x + y * y) >> kDistanceGrain;
    }
    AUGUR_HD_INLINE static constexpr std::uint32_t reach_grains(int kind) {
        constexpr std::uint32_t kShift = kDistanceGrain;
        constexpr auto kSquare = [](std::int32_t r) {
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(r * r) >> kShift);
        };
        constexpr std::int32_t kReach[kKinds] = {kSquare(kUnits[0].reach), kSquare(kUnits[1].reach),
                                                 kSquare(kUnits[2].reach)};
        return static_cast<std::uint32_t>(by_kind(kind, kReach[0], kReach[1], kReach[2]));
    }

    // A step of -1, 0 or +1 along each axis: the nearest of eight directions to (dx, dy). Both 0 only for (0, 0).
    struct Heading {
        std::int32_t x, y;
    };
    AUGUR_HD_INLINE static constexpr Heading heading(std::int32_t dx, std::int32_t dy) {
        const std::int32_t ax = kit::absolute(dx), ay = kit::absolute(dy);
        return {2 * ax > ay ? sign(dx) : 0, 2 * ay > ax ? sign(dy) : 0};
    }
    AUGUR_HD_INLINE static constexpr std::int32_t sign(std::int32_t v) { return (v > 0) - (v < 0); }

    // The direction of a move action 0 .. 7, and back; a heading of (0, 0) is kHold.
    AUGUR_HD_INLINE static constexpr Heading heading_of(int move) {
        constexpr std::uint32_t kX = 2u | 2u << 2 | 1u << 4 | 0u << 6 | 0u << 8 | 0u << 10 | 1u << 12 | 2u << 14;
        constexpr std::uint32_t kY = 1u | 2u << 2 | 2u << 4 | 2u << 6 | 1u << 8 | 0u << 10 | 0u << 12 | 0u << 14;
        return {static_cast<std::int32_t>((kX >> (2 * move)) & 3u) - 1,
                static_cast<std::int32_t>((kY >> (2 * move)) & 3u) - 1};
    }
    AUGUR_HD_INLINE static constexpr int move_of(Heading h) {
        constexpr std::uint64_t kMoves = 0x123084765ull;  // a hex digit per 3 * y + x, from south-west to north-east
        return static_cast<int>((kMoves >> (4 * (3 * (h.y + 1) + h.x + 1))) & 15u);
    }

    // How far a unit of a kind goes along each moved axis of a heading; a sprint is a quarter faster.
    AUGUR_HD_INLINE static constexpr std::int32_t pace(int kind, Heading h, bool sprint) {
        const bool slant = h.x != 0 && h.y != 0;
        const std::int32_t walk =
            by_kind(kind, slant ? kUnits[0].diagonal : kUnits[0].straight,
                    slant ? kUnits[1].diagonal : kUnits[1].straight, slant ? kUnits[2].diagonal : kUnits[2].straight);
        return walk + (sprint ? walk >> 2 : 0);
    }

    // True while a melee unit's guard holds; used: the ability is used in this very ply.
    AUGUR_HD_INLINE static constexpr bool guarded(int kind, std::int32_t ability, bool used) {
        return kind == kMelee && (used || ability > kAbilityPeriod - kGuardPlies + 1);
    }

    // Health after a ply in which a living unit was hit and mended for so many points.
    AUGUR_HD_INLINE static constexpr std::int32_t settle(int kind, std::int32_t health, std::int32_t damage,
                                                         std::int32_t mended, bool guard) {
        return kit::clamp(health - softened(damage, guard) + mended, 0, full_health(kind));
    }
    AUGUR_HD_INLINE static constexpr std::int32_t softened(std::int32_t damage, bool guard) {
        return guard ? (damage + 1) >> 1 : damage;
    }

    // Timers after a ply.
    AUGUR_HD_INLINE static constexpr std::int32_t next_cooldown(int kind, std::int32_t cooldown, bool struck, bool held,
                                                                bool sprinted) {
        const std::int32_t ticked = kit::maximum(cooldown - (held ? 2 : 1), 0);
        const std::int32_t waited = sprinted ? kit::maximum(ticked, kSprintCooldown) : ticked;
        return struck ? by_kind(kind, kUnits[0].cooldown, kUnits[1].cooldown, kUnits[2].cooldown) : waited;
    }
    AUGUR_HD_INLINE static constexpr std::int32_t next_ability(std::int32_t ability, bool used) {
        return used ? kAbilityPeriod : kit::maximum(ability - 1, 0);
    }

    AUGUR_HD_INLINE static constexpr std::int32_t full_health(int kind) {
        return by_kind(kind, kUnits[0].full_health, kUnits[1].full_health, kUnits[2].full_health);
    }
    AUGUR_HD_INLINE static constexpr std::int32_t strike_amount(int kind) {
        return by_kind(kind, kUnits[0].amount, kUnits[1].amount, kUnits[2].amount);
    }

    // ---- The state's words
    // -----------------------------------------------------------------------------------------------------

    AUGUR_HD_INLINE static constexpr std::int32_t x_of(std::uint32_t place) {
        return static_cast<std::int16_t>(place & 0xffffu);
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

    // The word of a seat that is known only at run time, by selection: no indexing into memory.
    AUGUR_HD_INLINE static std::uint32_t pick(const std::uint32_t (&words)[kSeats], std::uint32_t seat) {
        std::uint32_t word = words[0];
        AUGUR_UNROLL
        for (std::uint32_t j = 1; j < kSeats; ++j)
            word = j == seat ? words[j] : word;
        return word;
    }

    // ---- What the agent sees
    // ---------------------------------------------------------------------------------------------------

    // A key orders units by distance, then seat: grains << 4 | seat; kNobody when there is none.
    struct View {
        std::uint32_t enemy;  // nearest living enemy
        std::uint32_t
            target;  // whom the agent could strike or mend: an enemy, or for a healer a hurt friend; the nearest
        std::uint32_t weakest;  // health << 4 | seat of the target in reach with the least health
        std::int32_t in_reach;  // targets in reach
        bool hurt_in_circle;    // somebody hurt, or the agent itself, within the mending circle
    };
    AUGUR_HD_INLINE static View view(const State& s) {
        const int kind = kind_of(s.status[0]);
        const bool healer = kind == kHealer;
        const std::uint32_t reach = reach_grains(kind);
        const std::int32_t x = x_of(s.place[0]), y = y_of(s.place[0]);
        View v = {kNobody, kNobody, kNobody, 0, hurt(s.status[0])};
        AUGUR_UNROLL
        for (std::uint32_t j = 1; j < kSeats; ++j) {
            const std::uint32_t status = s.status[j];
            const std::uint32_t distance = grains(x_of(s.place[j]) - x, y_of(s.place[j]) - y);
            const std::uint32_t key = (distance << 4) | j;
            const bool alive = health_of(status) > 0;
            const bool enemy = alive && !friendly(status);
            const bool patient = alive && friendly(status) && hurt(status);
            const bool target = healer ? patient : enemy;
            const bool reached = target && distance <= reach;
            v.enemy = enemy ? kit::minimum(v.enemy, key) : v.enemy;
            v.target = target ? kit::minimum(v.target, key) : v.target;
            v.weakest = reached ? kit::minimum(v.weakest, (status & 0xffu) << 4 | j) : v.weakest;
            v.in_reach += reached ? 1 : 0;
            v.hurt_in_circle = v.hurt_in_circle || (patient && distance <= kCircleGrains);
        }
        return v;
    }
    static constexpr std::uint32_t kCircleGrains =
        static_cast<std::uint32_t>(kCircleRadius * kCircleRadius) >> kDistanceGrain;
    static constexpr std::uint32_t kVolleyGrains =
        static_cast<std::uint32_t>(kVolleyRadius * kVolleyRadius) >> kDistanceGrain;

    // ---- The rules, as kit/rules.h asks for them
    // -------------------------------------------------------------------------------

    AUGUR_HD_INLINE static kit::ActionMask<kActions> legal(const State& s, int) {
        const View v = view(s);
        const std::uint32_t status = s.status[0];
        const int kind = kind_of(status);
        const bool loaded = cooldown_of(status) == 0;
        const bool useful = kind == kHealer ? v.hurt_in_circle : kind == kRanged ? v.in_reach > 0 : v.enemy != kNobody;
        std::uint32_t bits = (1u << kAttack) - 1;
        bits |= loaded && v.in_reach > 0 ? 1u << kAttack : 0u;
        bits |= loaded && v.in_reach > 1 ? 1u << kFocus : 0u;
        bits |= v.enemy != kNobody ? 1u << kRetreat : 0u;
        bits |= ability_of(status) == 0 && useful ? 1u << kAbility : 0u;
        return kit::ActionMask<kActions>::from_bits(health_of(status) > 0 ? bits : 0u);
    }

    AUGUR_HD_INLINE static int to_act(const State&) { return 0; }

    AUGUR_HD_INLINE static bool terminal(const State& s) { return health_of(s.status[0]) == 0; }

    // One ply. Cost: about a thousand integer operations, no memory.
    AUGUR_HD_INLINE static kit::Step<1> step(State& s, const kit::JointAction<1>& joint, kit::Random&) {
        const int action = joint.action[0];
        if (terminal(s)) return {{0}, true};

        std::uint32_t alive = 0, friends = 0, wounded = 0;
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kSeats; ++i) {
            alive |= health_of(s.status[i]) > 0 ? 1u << i : 0u;
            friends |= friendly(s.status[i]) ? 1u << i : 0u;
            wounded |= hurt(s.status[i]) ? 1u << i : 0u;
        }

        // Whom everybody but the agent aims at: the nearest of those it may strike or mend.
        std::uint32_t targets[kSeats], aim[kSeats];
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kSeats; ++i) {
            const std::uint32_t side = friendly(s.status[i]) ? friends : ~friends;
            const std::uint32_t wanted = kind_of(s.status[i]) == kHealer ? side & wounded & ~(1u << i) : ~side;
            targets[i] = health_of(s.status[i]) > 0 ? alive & wanted : 0u;
            aim[i] = kNobody;
        }
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kSeats; ++i) {
            AUGUR_UNROLL
            for (std::uint32_t j = i + 1; j < kSeats; ++j) {
                const std::uint32_t key =
                    grains(x_of(s.place[i]) - x_of(s.place[j]), y_of(s.place[i]) - y_of(s.place[j])) << 4;
                if (i > 0) aim[i] = (targets[i] >> j) & 1u ? kit::minimum(aim[i], key | j) : aim[i];
                aim[j] = (targets[j] >> i) & 1u ? kit::minimum(aim[j], key | i) : aim[j];
            }
        }

        // The agent's own doing: whom it hits or mends, one bit each, and for how much.
        const View v = view(s);
        const std::uint32_t own = s.status[0];
        const int own_kind = kind_of(own);
        const bool ability = action == kAbility;
        const bool strikes = action == kAttack || action == kFocus;
        const bool healer = own_kind == kHealer;
        const std::uint32_t chosen = action == kFocus ? v.weakest & 15u : v.target & 15u;
        std::uint32_t struck = strikes ? 1u << chosen : 0u;
        std::int32_t amount = strike_amount(own_kind);
        const std::uint32_t centre = healer ? s.place[0] : pick(s.place, v.target & 15u);
        const std::uint32_t radius = healer ? kCircleGrains : kVolleyGrains;
        const bool area = ability && own_kind != kMelee;
        std::uint32_t within = 0;
        AUGUR_UNROLL
        for (std::uint32_t j = 0; j < kSeats; ++j) {
            const bool near = grains(x_of(s.place[j]) - x_of(centre), y_of(s.place[j]) - y_of(centre)) <= radius;
            within |= near ? 1u << j : 0u;
        }
        struck = area ? within & alive & (healer ? friends : ~friends) : struck;
        amount = area ? (healer ? kCircleAmount : kVolleyDamage) : amount;

        // Everybody else's blows and mending, 7 bits a seat.
        std::uint64_t blows = 0, mends = 0;
        std::int32_t own_gain = 0, gain = 0;
        std::uint32_t place[kSeats], status[kSeats];
        bool strike[kSeats], walk[kSeats];
        AUGUR_UNROLL
        for (std::uint32_t i = 1; i < kSeats; ++i) {
            const int kind = kind_of(s.status[i]);
            const bool found = aim[i] != kNobody;
            const bool reached = (aim[i] >> 4) <= reach_grains(kind);
            strike[i] = found && reached && cooldown_of(s.status[i]) == 0;
            walk[i] = found && !reached;
            const std::uint32_t seat = aim[i] & 15u;
            const std::uint64_t points = static_cast<std::uint64_t>(strike[i] ? strike_amount(kind) : 0)
                                         << (strike[i] ? 7u * seat : 0u);
            blows += kind == kHealer ? 0u : points;
            mends += kind == kHealer ? points : 0u;
            const std::uint32_t there = pick(s.place, seat);
            const std::int32_t x = x_of(s.place[i]), y = y_of(s.place[i]);
            const Heading h = heading(x_of(there) - x, y_of(there) - y);
            const std::int32_t far = walk[i] ? pace(kind, h, false) : 0;
            place[i] = place_of(x + h.x * far, y + h.y * far);
        }
        {
            const std::uint32_t threat = pick(s.place, v.enemy & 15u);
            const std::int32_t x = x_of(s.place[0]), y = y_of(s.place[0]);
            const bool sprint = action == kRetreat;
            Heading h = heading_of(action & 7);
            if (sprint) {
                h = heading(x - x_of(threat), y - y_of(threat));
                if (h.x == 0 && h.y == 0) h.x = 1;
            }
            const std::int32_t far = action < kHold || sprint ? pace(own_kind, h, sprint) : 0;
            place[0] = place_of(x + h.x * far, y + h.y * far);
        }

        AUGUR_UNROLL
        for (std::uint32_t j = 0; j < kSeats; ++j) {
            const std::uint32_t before = s.status[j];
            const int kind = kind_of(before);
            const bool agent = j == 0;
            const bool hit = ((struck >> j) & 1u) != 0;
            const std::int32_t mine = hit ? amount : 0;
            const std::int32_t my_blow = healer ? 0 : mine, my_mend = healer ? mine : 0;
            const bool guard = guarded(kind, ability_of(before), agent && ability);
            const std::int32_t health = health_of(before);
            const std::int32_t damage = static_cast<std::int32_t>(blows >> (7 * j)) & 127;
            const std::int32_t mended = static_cast<std::int32_t>(mends >> (7 * j)) & 127;
            const std::int32_t after = settle(kind, health, damage + my_blow, mended + my_mend, guard);
            const bool friend_of_agent = agent || friendly(before);
            const bool died = health > 0 && after == 0;
            const std::int32_t loss = (health - after) * kTeamWeight + (died ? kKillReward : 0);
            gain += friend_of_agent ? -loss : loss;
            own_gain +=
                kit::minimum(softened(my_blow, guard), health) + kit::minimum(my_mend, full_health(kind) - health);
            if (agent) own_gain -= health - after;
            const bool struck_now = agent ? strikes || (ability && kind == kRanged) : strike[j];
            const bool held = agent ? action == kHold : !strike[j] && !walk[j];
            const std::int32_t cooldown =
                next_cooldown(kind, cooldown_of(before), struck_now, held, agent && action == kRetreat);
            const std::int32_t ready = next_ability(ability_of(before), agent && ability);
            status[j] = status_of(after, cooldown, ready, kind, friendly(before));
            const bool lives = health > 0 && after > 0;
            s.status[j] = lives ? status[j] : 0u;
            s.place[j] = lives ? place[j] : 0u;
        }
        const bool dead = health_of(s.status[0]) == 0;
        return {{gain + own_gain * kOwnWeight - (dead ? kDeathReward : 0)}, dead};
    }

    AUGUR_HD_INLINE static std::uint64_t hash(const State& s) {
        std::uint64_t h = kit::mix64(s.objective + 1ull);
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kSeats; ++i) {
            h = kit::combine64(h, static_cast<std::uint64_t>(s.place[i]) << 32 | s.status[i]);
        }
        return h;
    }

    // A quarter of the plies anything legal; else the ability or a strike if there is one, a step back while reloading,
    // an approach.
    AUGUR_HD_INLINE static int rollout_action(const State& s, int, const kit::ActionMask<kActions>& mask,
                                              kit::Random& random) {
        const std::uint32_t bits = random.bits16();
        if ((bits & 3u) == 0)
            return mask.nth(static_cast<int>(((bits >> 2) * static_cast<std::uint32_t>(mask.count())) >> 14));
        if (mask.test(kAbility) && (bits & 4u) != 0) return kAbility;
        if (mask.test(kFocus) && (bits & 8u) != 0) return kFocus;
        if (mask.test(kAttack)) return kAttack;
        const View v = view(s);
        const int kind = kind_of(s.status[0]);
        const std::int32_t x = x_of(s.place[0]), y = y_of(s.place[0]);
        if (kind != kMelee && (v.enemy >> 4) <= kUneasyGrains) {
            const std::uint32_t threat = pick(s.place, v.enemy & 15u);
            return move_of(heading(x - x_of(threat), y - y_of(threat)));
        }
        if (v.in_reach > 0) return kHold;
        if (v.target == kNobody && s.objective == 0) return kHold;
        const std::uint32_t there = v.target == kNobody ? s.objective : pick(s.place, v.target & 15u);
        return move_of(heading(x_of(there) - x, y_of(there) - y));
    }
    static constexpr std::uint32_t kUneasyGrains =
        768u * 768u >> kDistanceGrain;  // ranged units and healers step back from 3.0

    // What a position is worth beyond what was won so far: how far the agent still is from where it can do something.
    AUGUR_HD_INLINE static std::int32_t evaluate(const State& s, int) {
        const View v = view(s);
        const int kind = kind_of(s.status[0]);
        const std::int32_t x = x_of(s.place[0]), y = y_of(s.place[0]);
        const bool peace = v.enemy == kNobody;
        const bool aimless = v.target == kNobody && s.objective == 0;
        const std::uint32_t there = v.target == kNobody ? s.objective : pick(s.place, v.target & 15u);
        const std::int32_t reach =
            v.target == kNobody ? 0 : by_kind(kind, kUnits[0].reach, kUnits[1].reach, kUnits[2].reach);
        const std::int32_t away = kit::maximum(octagonal(x_of(there) - x, y_of(there) - y) - reach, 0);
        return (peace ? kClearReward : 0) - (aimless ? 0 : away * kApproachWeight);
    }
    static constexpr std::int32_t kApproachWeight = 2;  // Q16 a position unit
    AUGUR_HD_INLINE static constexpr std::int32_t octagonal(std::int32_t dx, std::int32_t dy) {
        const std::int32_t ax = kit::absolute(dx), ay = kit::absolute(dy);
        return kit::maximum(ax, ay) + (kit::minimum(ax, ay) >> 1);
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
        for (int i = 0; i < kNeighbours && i < count; ++i) {
            const std::uint32_t other = neighbours[i];
            const std::int32_t dx = fields.get(kPositionWord, other) - x, dy = fields.get(kPositionWord + 1, other) - y;
            if (kit::maximum(kit::absolute(dx), kit::absolute(dy)) > kSight) continue;
            s.place[i + 1] = place_of(dx, dy);
            s.status[i + 1] = status_of_agent(fields, other, fields.get(kTeamWord, other) == team);
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
