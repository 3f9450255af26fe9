// A game as plain numbers, for everything that does not compile its rules.
#ifndef AUGUR_CORE_RULES_INFO_H
#define AUGUR_CORE_RULES_INFO_H

#include <augur/kit/rules.h>

namespace augur::core {

struct RulesInfo {
    const char* name;
    const char* const* action_names;  // [K]
    const kit::FieldInfo* fields;     // [field_count]
    std::uint32_t field_count;
    std::uint32_t word_count;  // int32 words of all fields, W
    std::uint32_t action_count;
    std::uint32_t player_count;
    kit::Turn turn;
    bool has_chance;
    bool provable;
    std::uint32_t state_bytes;
    std::uint32_t max_depth;
    std::uint32_t default_horizon;
    std::int32_t default_discount;  // Q16
    float default_puct;
    float default_uct;
    std::uint32_t neighbour_count;
    std::uint32_t feature_count;  // F; 0: takes no model
    float default_guided_puct;    // with a model
    bool learned = false;         // played by networks: core/latent_game.h
};

template <class R>
constexpr RulesInfo make_rules_info() {
    static_assert(kit::Rules<R>);
    static_assert(R::kTurn != kit::Turn::alternating || R::kPlayers == 2);
    static_assert(R::kMaxDepth >= 1 && R::kMaxDepth <= 4096 && R::kHorizon >= 1 && R::kHorizon <= R::kMaxDepth);
    std::uint32_t words = 0, features = 0;
    float guided_puct = R::kPuct;
    if constexpr (requires { R::kGuidedPuct; }) guided_puct = R::kGuidedPuct;
    if constexpr (kit::HasFeatures<R>) features = R::kFeatures;
    for (const kit::FieldInfo& field : R::kFields)
        words += field.words();
    return {R::kName,
            R::kActionNames,
            R::kFields,
            static_cast<std::uint32_t>(sizeof(R::kFields) / sizeof(R::kFields[0])),
            words,
            R::kActions,
            R::kPlayers,
            R::kTurn,
            R::kChance,
            R::kProvable,
            static_cast<std::uint32_t>(sizeof(typename R::State)),
            R::kMaxDepth,
            R::kHorizon,
            R::kDiscount,
            R::kPuct,
            R::kUct,
            R::kNeighbours,
            features,
            guided_puct};
}

}  // namespace augur::core

#endif  // AUGUR_CORE_RULES_INFO_H
