// Clocks, and what is said of many samples.
#ifndef AUGUR_TESTS_BENCH_MEASURE_H
#define AUGUR_TESTS_BENCH_MEASURE_H

#include <cstddef>
#include <vector>

namespace augur::bench {

double steady_us();          // since some moment of the past
double thread_cpu_us();      // CPU time that the calling thread has used
double process_cpu_us();     // CPU time that all threads of this process have used
void sleep_us(double time);  // at least so long

struct Summary {
    std::size_t count = 0;
    double mean = 0, min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
};

// Percentiles by nearest rank: each is one of the samples. All zero for none.
Summary summarise(std::vector<double> samples);

}  // namespace augur::bench

#endif
