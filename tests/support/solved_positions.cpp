#include "support/solved_positions.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace augur::test {
namespace {

std::optional<Outcome> outcome_of_letter(char letter) {
    switch (letter) {
        case '+':
            return Outcome::kWin;
        case '0':
            return Outcome::kDraw;
        case '-':
            return Outcome::kLoss;
        case 'x':
            return Outcome::kIllegal;
        default:
            return std::nullopt;
    }
}

// Empty when the line was understood, else what is wrong with it.
std::string parse_line(const std::string& line, SolvedPosition& position) {
    std::istringstream words(line);
    std::string letters;
    std::string rest;
    if (!(words >> position.moves >> position.score >> letters)) return "expected: moves score outcomes";
    if (words >> rest) return "unexpected text after the outcomes";
    if (letters.size() != position.outcomes.size()) return "expected 7 outcomes";
    if (!position.board.play_text(position.moves)) return "an illegal move";
    if (position.board.is_over()) return "the game is over";
    for (std::size_t column = 0; column < letters.size(); ++column) {
        const std::optional<Outcome> outcome = outcome_of_letter(letters[column]);
        if (!outcome) return "an unknown outcome letter";
        const bool legal = position.board.can_play(static_cast<int>(column));
        if (legal == (*outcome == Outcome::kIllegal)) return "an outcome disagrees with the legal moves";
        position.outcomes[column] = *outcome;
    }
    return {};
}

}  // namespace

Outcome SolvedPosition::best() const {
    return *std::max_element(outcomes.begin(), outcomes.end());
}

bool SolvedPosition::is_mistake(int column) const {
    if (column < 0 || column >= SolverBoard::kColumns) return true;
    return outcomes[static_cast<std::size_t>(column)] != best();
}

std::vector<SolvedPosition> read_solved_positions(const std::string& path, std::string& error) {
    std::vector<SolvedPosition> positions;
    error.clear();
    std::ifstream file(path);
    if (!file) {
        error = path + ": cannot be opened";
        return positions;
    }
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.empty() || line.front() == '#') continue;
        SolvedPosition position;
        const std::string problem = parse_line(line, position);
        if (!problem.empty()) {
            error = path + ":" + std::to_string(number) + ": " + problem;
            return {};
        }
        positions.push_back(std::move(position));
    }
    if (positions.empty()) error = path + ": holds no position";
    return positions;
}

std::string committed_solved_positions_path() {
    const char* folder = std::getenv("AUGUR_TESTS_DIR");
    return std::string(folder != nullptr ? folder : AUGUR_TESTS_SOURCE_DIR) + "/support/data/connect_four_solved.txt";
}

std::optional<std::string> public_solved_set_path(const std::string& name) {
    namespace fs = std::filesystem;
    std::vector<fs::path> folders;
    if (const char* data = std::getenv("AUGUR_TEST_DATA")) {
        folders.emplace_back(data);
    } else {
        folders.push_back(fs::path(AUGUR_TESTS_SOURCE_DIR) / "../shared/data");
        folders.push_back(fs::path(AUGUR_TESTS_SOURCE_DIR) / "../../shared/data");
    }
    for (const fs::path& folder : folders) {
        const fs::path candidate = folder / "connect_four" / name;
        std::error_code ignored;
        if (fs::is_regular_file(candidate, ignored)) return candidate.lexically_normal().string();
    }
    return std::nullopt;
}

}  // namespace augur::test
