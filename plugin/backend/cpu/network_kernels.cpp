#include "backend/cpu/network_kernels.h"

namespace augur {

CpuLevel best_cpu_level() {
#if defined(AUGUR_CPU_LEVELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return CpuLevel::v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return CpuLevel::v3;
#endif
    return CpuLevel::base;
}

const NetworkKernels& network_kernels(CpuLevel level) {
#if defined(AUGUR_CPU_LEVELS)
    if (level == CpuLevel::v4) return network_kernels_v4();
    if (level == CpuLevel::v3) return network_kernels_v3();
#else
    (void)level;
#endif
    return network_kernels_base();
}

}  // namespace augur
