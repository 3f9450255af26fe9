#include "support/arrays.h"

#include <cstring>

#include "support/connect_four_solver.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

std::size_t size_of(augur_format format) {
    return format == AUGUR_FORMAT_U64 ? 8 : 4;
}

augur_format format_of(const kit::FieldInfo& field) {
    switch (field.kind) {
        case kit::FieldKind::fixed:
            return AUGUR_FORMAT_F32;
        case kit::FieldKind::bits64:
            return AUGUR_FORMAT_U64;
        case kit::FieldKind::integer:
        case kit::FieldKind::row:  // learned rules have it, and no words
            break;
    }
    return AUGUR_FORMAT_I32;
}

}  // namespace

HostArrays::HostArrays(const core::RulesInfo& rules, const std::vector<std::int32_t>& words, std::uint32_t agents,
                       Layout layout)
    : agents_(agents), actions_(agents, -77) {
    std::size_t record = 0;
    for (std::uint32_t f = 0; f < rules.field_count; ++f) {
        const augur_format format = format_of(rules.fields[f]);
        for (std::uint32_t c = 0; c < rules.fields[f].components; ++c) {
            record = (record + size_of(format) - 1) / size_of(format) * size_of(format);
            components_.push_back({record, 0, format});
            record += size_of(format);
        }
    }
    record = (record + 7) / 8 * 8;
    std::size_t total = record * agents;
    if (layout == Layout::kArrays) {
        total = 0;
        for (Component& component : components_) {
            component.offset = total;
            component.stride = size_of(component.format);
            total += (component.stride * agents + 7) / 8 * 8;
        }
    } else {
        for (Component& component : components_)
            component.stride = record;
    }
    storage_.resize(total / 8 + 1);
    set_words(rules, words);
}

void HostArrays::set_words(const core::RulesInfo& rules, const std::vector<std::int32_t>& words) {
    const std::uint32_t agents = agents_;
    auto* bytes = reinterpret_cast<unsigned char*>(storage_.data());
    std::size_t component = 0;
    std::size_t word = 0;
    for (std::uint32_t f = 0; f < rules.field_count; ++f) {
        const kit::FieldInfo& field = rules.fields[f];
        for (std::uint32_t c = 0; c < field.components; ++c, ++component) {
            const Component& place = components_[component];
            for (std::uint32_t agent = 0; agent < agents; ++agent) {
                unsigned char* to = bytes + place.offset + place.stride * agent;
                const std::int32_t value = words[word * agents + agent];
                if (place.format == AUGUR_FORMAT_F32) {
                    const float real = static_cast<float>(value) / static_cast<float>(field.scale);
                    std::memcpy(to, &real, sizeof real);
                } else {
                    std::memcpy(to, &value, sizeof value);
                    if (place.format == AUGUR_FORMAT_U64) std::memcpy(to + 4, &words[(word + 1) * agents + agent], 4);
                }
            }
            word += place.format == AUGUR_FORMAT_U64 ? 2 : 1;
        }
    }
}

std::vector<Source> HostArrays::sources(BackendBuffer* buffer) const {
    std::vector<Source> result;
    for (const Component& component : components_) {
        result.push_back({buffer, component.offset, component.stride, component.format});
    }
    return result;
}

augur_buffer_desc HostArrays::fields_desc() {
    augur_buffer_desc desc{};
    desc.struct_size = sizeof desc;
    desc.kind = AUGUR_BUFFER_HOST;
    desc.access = AUGUR_ACCESS_READ;
    desc.pointer = storage_.data();
    desc.size_bytes = storage_.size() * sizeof storage_[0];
    return desc;
}

augur_buffer_desc HostArrays::actions_desc() {
    augur_buffer_desc desc{};
    desc.struct_size = sizeof desc;
    desc.kind = AUGUR_BUFFER_HOST;
    desc.access = AUGUR_ACCESS_WRITE;
    desc.pointer = actions_.data();
    desc.size_bytes = actions_.size() * sizeof actions_[0];
    return desc;
}

std::vector<std::int32_t> connect_four_words(std::uint32_t agents, std::uint64_t seed, std::uint32_t bad_every) {
    SplitMix64 random(seed);
    std::vector<std::int32_t> words(std::size_t{4} * agents);
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
        SolverBoard board;
        for (int plies = random.below(31); plies > 0 && !board.is_over();) {
            const int column = random.below(7);
            if (!board.can_play(column)) continue;
            board.play(column);
            --plies;
        }
        const std::uint64_t own = board.mine();
        std::uint64_t other = own ^ board.all();
        if (bad_every != 0 && agent % bad_every == bad_every - 1) other |= std::uint64_t{1} << 63;
        const std::uint64_t halves[4] = {own, own >> 32, other, other >> 32};
        for (std::size_t w = 0; w < 4; ++w) {
            words[w * agents + agent] = static_cast<std::int32_t>(static_cast<std::uint32_t>(halves[w]));
        }
    }
    return words;
}

std::vector<std::int32_t> skirmish_words(std::uint32_t agents, std::uint64_t seed) {
    using rules::Skirmish;
    SplitMix64 random(seed);
    SkirmishWorld world;
    // A field on which a unit sees about six others, in clusters that see more and strays that see none.
    int side = 1024;
    while (std::uint64_t(side) * static_cast<std::uint64_t>(side) < std::uint64_t{agents} * 3000000)
        side += side / 4;
    side = side < Skirmish::kWorldSize ? side : Skirmish::kWorldSize;
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
        SkirmishUnit unit;
        unit.x = random.below(side);
        unit.y = random.below(agent % 5 == 0 ? side / 8 : side);
        unit.kind = random.below(3);
        unit.team = random.below(2);
        unit.health = random.below(8) == 0 ? 0 : 1 + random.below(Skirmish::kUnits[unit.kind].full_health);
        unit.cooldown = random.below(4);
        unit.ability = random.below(Skirmish::kAbilityPeriod + 1);
        world.units.push_back(unit);
    }
    world.objective = SkirmishUnit{};
    world.objective->x = side / 2;
    world.objective->y = side / 3;
    return world.words();
}

}  // namespace augur::test
