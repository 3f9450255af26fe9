#include "runtime/replay.h"

#include <cstring>
#include <memory>
#include <vector>

#include "runtime/context.h"
#include "runtime/desc.h"
#include "runtime/learned_rules.h"
#include "runtime/loaded_network.h"
#include "runtime/message.h"
#include "runtime/planner.h"
#include "runtime/recording_reader.h"
#include "runtime/rules.h"

namespace augur {

namespace {

augur_planner_desc planner_desc_of(const RecordingHeader& header, augur_model_id model) {
    augur_planner_desc desc = DescTraits<augur_planner_desc>::defaults();
    desc.agent_capacity = header.agent_capacity;
    desc.search = header.search;
    desc.selection = header.selection;
    desc.simulations = header.simulations;
    desc.horizon = header.horizon;
    desc.exploration = header.exploration;
    desc.discount = static_cast<float>(header.discount) / 65536.0f;  // 17 bits: exact both ways
    desc.node_capacity = header.node_capacity;
    desc.leaves_per_wave = header.leaves_per_wave;
    desc.early_stop = header.early_stop;
    desc.transpositions = header.transpositions;
    desc.seed = header.seed;
    desc.model = model;
    desc.considered_actions = header.considered_actions;
    desc.gumbel_scale = header.gumbel_scale;
    desc.carry_over = header.carry_over;
    desc.count_carried = header.count_carried;
    return desc;
}

// Arrays of a replayed session, one per component, and the buffers over them.
struct Arrays {
    struct Array {
        std::vector<std::uint64_t> words;  // aligned for every format
        std::unique_ptr<Buffer> buffer;
    };
    std::vector<Array> fields;
    Array actions;

    static augur_result make(Context& context, std::uint64_t size_bytes, augur_access access, Array* out) {
        out->words.resize(size_bytes / 8 + 1);
        augur_buffer_desc desc = DescTraits<augur_buffer_desc>::defaults();
        desc.access = access;
        desc.pointer = out->words.data();
        desc.size_bytes = out->words.size() * 8;
        return Buffer::make(context, desc, &out->buffer);
    }
};

augur_result bind_all(Context& context, const RecordingReader& reader, Planner& planner, Arrays* arrays) {
    const std::uint64_t agents = reader.header().agent_capacity;
    arrays->fields.resize(reader.formats().size());
    for (std::uint32_t i = 0; i < arrays->fields.size(); ++i) {
        const std::uint32_t format = reader.formats()[i];
        if (format == 0) continue;
        Arrays::Array& array = arrays->fields[i];
        augur_result result = Arrays::make(context, agents * reader.agent_bytes(i), AUGUR_ACCESS_READ, &array);
        if (result != AUGUR_OK) return result;
        const augur_binding binding{{0}, format, 0, 0, 0};
        result = planner.bind(component_name(planner.rules(), i).c_str(), binding, *array.buffer);
        if (result != AUGUR_OK) return result;
    }
    augur_result result = Arrays::make(context, agents * 4, AUGUR_ACCESS_WRITE, &arrays->actions);
    if (result != AUGUR_OK) return result;
    const augur_binding binding{{0}, AUGUR_FORMAT_I32, 0, 0, 0};
    return planner.bind_actions(binding, *arrays->actions.buffer);
}

augur_result replay_frame(const RecordingReader& reader, Planner& planner, Arrays& arrays, bool* equal) {
    const FrameHead& recorded = reader.frame();
    for (std::uint32_t i = 0; i < arrays.fields.size(); ++i) {
        const unsigned char* numbers = reader.component(i);
        if (numbers == nullptr) continue;
        std::memcpy(arrays.fields[i].words.data(), numbers, reader.agent_bytes(i) * recorded.agent_count);
    }
    augur_frame_desc frame = DescTraits<augur_frame_desc>::defaults();
    frame.agent_count = recorded.agent_count;
    frame.simulations = recorded.simulations;
    frame.frame = recorded.frame;
    if (const augur_result result = planner.request(frame); result < 0) return result;
    augur_frame_result done{};
    done.struct_size = sizeof done;
    if (const augur_result result = planner.collect(UINT64_MAX, &done); result < 0) return result;
    *equal = done.decision_hash == recorded.decision_hash;
    return AUGUR_OK;
}

// What an agent has of each component has to be what the rules read.
augur_result check_components(const RecordingReader& reader, const char* shown, const core::RulesInfo& rules) {
    if (component_count(rules) != reader.formats().size())
        return fail(AUGUR_ERROR_IO, "recording %s: its rules %s had %u numbers per agent, they have %u now", shown,
                    rules.name, static_cast<std::uint32_t>(reader.formats().size()), component_count(rules));
    std::uint32_t component = 0;
    for (std::uint32_t i = 0; i < rules.field_count; ++i) {
        const kit::FieldInfo& field = rules.fields[i];
        const std::uint32_t width = field.kind == kit::FieldKind::row ? field.components : 1;
        for (std::uint32_t c = 0; c < field.sources(); ++c, ++component)
            if (reader.formats()[component] != 0 && reader.width(component) != width)
                return fail(AUGUR_ERROR_IO, "recording %s: field \"%s\" had %u numbers, it has %u now", shown,
                            field.name, reader.width(component), width);
    }
    return AUGUR_OK;
}

// The rules of the session: the learned ones given, or those of that name.
augur_result find_rules(Context& context, const RecordingHeader& header, const char* shown, const Rules* learned,
                        Use<Rules>* found, const Rules** out) {
    const bool wants = header.learned != 0;
    if (wants != (learned != nullptr))
        return fail(AUGUR_ERROR_NOT_FOUND, "recording %s was made on %s rules, and %s", shown,
                    wants ? "learned" : "compiled",
                    wants ? "none are given; augur_replay_with_rules takes them" : "learned ones are given");
    *out = learned;
    if (wants) return AUGUR_OK;
    std::uint64_t id = 0;
    augur_result result = context.find_rules(header.rules, &id);
    if (result == AUGUR_OK) result = found->acquire(id);
    *out = found->get();
    return result;
}

}  // namespace

augur_result replay(Context& context, const char* path, const Model* model, augur_model_id id, const Rules* learned,
                    augur_replay_report* out) {
    RecordingReader reader;
    augur_result result = reader.open(path);
    if (result != AUGUR_OK) return result;
    const std::string shown = quoted(path);
    Use<Rules> found;
    const Rules* rules = nullptr;
    result = find_rules(context, reader.header(), shown.c_str(), learned, &found, &rules);
    if (result != AUGUR_OK) return result;
    const std::uint64_t given = learned != nullptr ? learned->learned()->identity
                                : model != nullptr ? model->network()->identity
                                                   : 0;
    if (given != reader.header().model && learned != nullptr)
        return fail(AUGUR_ERROR_INVALID_MODEL, "recording %s was made on learned rules, and others are given",
                    shown.c_str());
    if (given != reader.header().model)
        return fail(AUGUR_ERROR_INVALID_MODEL, "recording %s was guided by %s, and %s is given", shown.c_str(),
                    reader.header().model == 0 ? "no model" : "a model",
                    model == nullptr             ? "none"
                    : reader.header().model == 0 ? "one"
                                                 : "another");
    if (result = check_components(reader, shown.c_str(), *rules->info()); result != AUGUR_OK) return result;

    Arrays arrays;  // outlives the planner
    std::unique_ptr<Planner> planner;
    result = Planner::make(context, *rules, model, planner_desc_of(reader.header(), id), &planner);
    if (result < 0) return result;
    if (result = bind_all(context, reader, *planner, &arrays); result != AUGUR_OK) return result;

    augur_replay_report report{};
    report.first_different = 0xffffffffu;
    for (;; ++report.frames) {
        bool end = false;
        if (result = reader.next(&end); result != AUGUR_OK) return result;
        for (const ResetChunk& reset : reader.resets())
            if (result = planner->reset_trees(reset.first, reset.count); result != AUGUR_OK) return result;
        if (end) break;
        if (reader.frame().repeatable == 0) {
            ++report.frames_skipped;
            continue;
        }
        bool equal = false;
        if (result = replay_frame(reader, *planner, arrays, &equal); result != AUGUR_OK) return result;
        if (equal)
            ++report.frames_equal;
        else if (report.first_different == 0xffffffffu)
            report.first_different = report.frames;
    }
    report.backend = planner->counters().backend;
    *out = report;
    return AUGUR_OK;
}

}  // namespace augur
