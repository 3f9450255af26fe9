// The matrix units, and copies into shared memory that nobody waits for, on every generation that has them.
#ifndef AUGUR_BACKEND_CUDA_MATRIX_UNITS_CUH
#define AUGUR_BACKEND_CUDA_MATRIX_UNITS_CUH

#include <augur/kit/platform.h>
#include <cuda_runtime.h>

namespace augur::cuda {

// c += a b for 16 rows, 8 columns and 32 bytes of k. Lane 4 g + t holds, in words of 4 bytes:
//   a  rows g and g+8 at bytes 4t of k, then the same rows at bytes 16+4t
//   b  column g at bytes 4t of k, then at bytes 16+4t
//   c  row g, columns 2t and 2t+1; row g+8, the same columns
__device__ __forceinline__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                             std::uint32_t b1) {
#if AUGUR_DEVICE_ARCH >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#elif AUGUR_DEVICE_CODE
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

__device__ __forceinline__ void multiply_add(std::int32_t (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                             std::uint32_t b1) {
#if AUGUR_DEVICE_ARCH >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#elif AUGUR_DEVICE_CODE
    const auto part = [](std::int32_t& c0, std::int32_t& c1, std::uint32_t row, std::uint32_t column) {
        asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
            : "+r"(c0), "+r"(c1)
            : "r"(row), "r"(column));
    };
    part(c[0], c[1], a[0], b0);
    part(c[0], c[1], a[2], b1);
    part(c[2], c[3], a[1], b0);
    part(c[2], c[3], a[3], b1);
#endif
}

// Four blocks of 8 rows of 16 bytes; lane l gives the address of row l % 8 of block l / 8, and gets word t of row g of
// each (l = 4 g + t).
__device__ __forceinline__ void load_blocks(std::uint32_t (&out)[4], std::uint32_t shared_address) {
#if AUGUR_DEVICE_CODE
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(shared_address)
                 : "memory");
#endif
}

// 16 bytes into shared memory by way of the first cache, zeros where not `valid`; in place after commit_copies and
// wait_for_copies.
__device__ __forceinline__ void copy_later(std::uint32_t shared_address, const void* from, bool valid) {
#if AUGUR_DEVICE_ARCH >= 800
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address), "l"(from), "r"(bytes)
                 : "memory");
#elif AUGUR_DEVICE_CODE
    const uint4 value = valid ? *static_cast<const uint4*>(from) : make_uint4(0, 0, 0, 0);
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(shared_address), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
#endif
}

__device__ __forceinline__ void commit_copies() {
#if AUGUR_DEVICE_ARCH >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until all but the last `Pending` commits are in place, for this thread.
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
#if AUGUR_DEVICE_ARCH >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_MATRIX_UNITS_CUH
