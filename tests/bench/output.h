// The table on the terminal and the JSON file.
#ifndef AUGUR_TESTS_BENCH_OUTPUT_H
#define AUGUR_TESTS_BENCH_OUTPUT_H

#include <cstdint>
#include <string>
#include <vector>

#include "runner.h"

namespace augur::bench {

// What is known of the run beside its rows.
struct RunInfo {
    std::string command;  // as typed
    std::string date;     // UTC, ISO 8601
    std::string library;  // version
    std::string cpu;      // name
    unsigned cores = 0;
    std::string gpu;                                  // name; empty where none is used
    std::string gpu_driver;                           // "580.159.04"; empty where unknown
    std::uint32_t cuda_driver = 0, cuda_runtime = 0;  // such as 13000
    bool quick = false;
};

void print_head(const RunInfo& info);
void print_row(const Row& row);  // one line, and one more for each further baseline
// Crossover, agreement of the backends, and what the columns mean.
void print_end(const std::vector<Row>& rows);

// Everything that was measured, as text.
std::string to_json(const RunInfo& info, const std::vector<Row>& rows);

}  // namespace augur::bench

#endif
