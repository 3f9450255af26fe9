// What search data is made of: records of single decisions.
//
// A file holds a header and records, all numbers little-endian:
//   header   8 bytes "AUGURSD2", then four uint32: features F, actions K, simulations of each search, 0
//   record   F float32: the features of the state, as the rules give them to a network
//            uint32: the legal actions, bit a for action a
//            K uint32: how often the search tried each action at the root, as a policy to learn
//            float32: the value to learn, in [-1, 1], for the player to act
//            K float32: the reward of the ply that each action begins, for the player to act; 0 for actions that are
//            not legal

#ifndef AUGUR_TESTS_TOOLS_SEARCH_DATA_H
#define AUGUR_TESTS_TOOLS_SEARCH_DATA_H

#include <augur/augur.h>
#include <augur/kit/rules.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace augur::test {

struct SearchDataOptions {
    std::string game;
    std::string path;
    std::uint64_t records = 0;
    std::uint32_t simulations = 0;
    std::uint32_t at_once = 0;  // games or battles side by side
    float result_share = 0;     // of the game's result in the value to learn; the rest is the value at the root
    std::uint64_t seed = 1;
};

// Play until the file holds so many records. Throw augur::sdk::Error or std::runtime_error.
void write_connect_four_data(const SearchDataOptions& options);
void write_skirmish_data(const SearchDataOptions& options);

// How both games are searched for data: with rollouts by the rules' own settings, to the end, so that every search has
// all its visits unless the outcome is proven.
inline augur_planner_desc data_desc(const SearchDataOptions& options) {
    augur_planner_desc desc = augur_planner_desc_default();
    desc.simulations = options.simulations;
    desc.early_stop = 0;
    desc.seed = options.seed;
    return desc;
}

template <class R>
struct SearchRecord {
    std::array<float, R::kFeatures> features;
    std::uint32_t legal;
    std::array<std::uint32_t, R::kActions> visits;
    float value;
    std::array<float, R::kActions> rewards;
};

// The reward of the ply that an action begins, for the player to act.
template <class R>
float reward_of(typename R::State state, int action) {
    static_assert(!R::kChance && kit::kDeciders<R> == 1, "one player acts, and nothing is drawn");
    kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
    return static_cast<float>(R::step(state, {{action}}, none).reward[0]) / static_cast<float>(kit::kOne);
}

template <class R>
SearchRecord<R> record_of(const typename R::State& state) {
    SearchRecord<R> record{};
    for (int f = 0; f < R::kFeatures; ++f)
        record.features[static_cast<std::size_t>(f)] = R::feature(state, f);
    const auto mask = R::legal(state, R::to_act(state));
    for (int a = 0; a < R::kActions; ++a) {
        if (!mask.test(a)) continue;
        record.legal |= 1u << a;
        record.rewards[static_cast<std::size_t>(a)] = reward_of<R>(state, a);
    }
    return record;
}

// A file of records; complete only after close.
template <class R>
class SearchDataFile {
  public:
    explicit SearchDataFile(const SearchDataOptions& options)
        : path_(options.path), wanted_(options.records), file_(std::fopen(path_.c_str(), "wb")) {
        const std::uint32_t shape[4] = {R::kFeatures, R::kActions, options.simulations, 0};
        put("AUGURSD2", 8);
        put(shape, sizeof shape);
    }

    bool full() const { return written_ == wanted_; }
    void write(const SearchRecord<R>& record) {
        static_assert(sizeof record == 4 * (R::kFeatures + 2 * R::kActions + 2));
        if (full()) return;
        put(&record, sizeof record);
        if (++written_ % 10000 == 0) std::fprintf(stderr, "%llu\n", static_cast<unsigned long long>(written_));
    }
    void close() {
        if (std::fclose(file_.release()) != 0) fail();
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void put(const void* bytes, std::size_t count) {
        if (!file_ || std::fwrite(bytes, 1, count, file_.get()) != count) fail();
    }
    [[noreturn]] void fail() const { throw std::runtime_error(path_ + ": cannot be written"); }

    std::string path_;
    std::uint64_t wanted_;
    std::uint64_t written_ = 0;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace augur::test

#endif
