// The units of skirmish: what a host writes and reads, what each kind can do, and how a unit changes in a ply. All that
// a host or a shader needs to move every unit by the rules that the planner searches (rules/skirmish.h). Whole numbers
// only.
#ifndef AUGUR_RULES_SKIRMISH_UNITS_H
#define AUGUR_RULES_SKIRMISH_UNITS_H

#include <augur/kit/rules.h>

namespace augur::rules {

struct SkirmishUnits {
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
        {60, 6, 0, 384, 160, 113},   // melee: 1.5 reach, 0.625 a ply, strikes every ply
        {36, 9, 3, 1536, 192, 136},  // ranged: 6.0 reach, 0.75 a ply
        {40, 5, 3, 1280, 176, 124},  // healer: 5.0 reach, 0.6875 a ply
    };
    static constexpr std::int32_t kAbilityPeriod = 12;  // plies until an ability is ready again
    static constexpr std::int32_t kGuardPlies = 4;      // guard: damage is halved, rounded up; the first ply counts
    static constexpr std::int32_t kThreatRadius = 768;  // guard: only with an enemy so near
    static constexpr std::int32_t kVolleyDamage = 10;   // volley: to the nearest enemy in reach and all near it;
    static constexpr std::int32_t kVolleyRadius = 512;  // it needs no loaded shot but starts the cooldown
    static constexpr std::int32_t kCircleAmount = 6;    // mending circle: to the healer and every friend near it
    static constexpr std::int32_t kCircleRadius = 1024;
    static constexpr std::int32_t kSprintCooldown = 2;  // cooldown after a retreat is at least this
    static constexpr std::int32_t kDistanceGrain = 4;   // squared distances are compared after a shift by so many bits
    static constexpr std::int32_t kMostCooldown = 15;
    static constexpr std::int32_t kMostHealth = 60;

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
    AUGUR_HD_INLINE static constexpr std::uint32_t grains_across(std::int32_t length) {
        return static_cast<std::uint32_t>(length * length) >> kDistanceGrain;
    }
    AUGUR_HD_INLINE static constexpr std::uint32_t reach_grains(int kind) {
        constexpr std::uint32_t kReach[kKinds] = {grains_across(kUnits[0].reach), grains_across(kUnits[1].reach),
                                                  grains_across(kUnits[2].reach)};
        return kind == kMelee ? kReach[0] : kind == kRanged ? kReach[1] : kReach[2];
    }

    // Octagonal length of a way: no root, at most 12 % too long.
    AUGUR_HD_INLINE static constexpr std::int32_t length(std::int32_t dx, std::int32_t dy) {
        const std::int32_t ax = kit::absolute(dx), ay = kit::absolute(dy);
        return kit::maximum(ax, ay) + (kit::minimum(ax, ay) >> 1);
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
};

}  // namespace augur::rules

#endif  // AUGUR_RULES_SKIRMISH_UNITS_H
