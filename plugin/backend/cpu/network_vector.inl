// Vectors of floats as wide as the instruction set that the including file is compiled for.

#if defined(__AVX512F__)
constexpr std::uint32_t kLanes = 16;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr std::uint32_t kLanes = 8;
#else
constexpr std::uint32_t kLanes = 4;
#endif

using Vector [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using VectorAnywhere [[gnu::vector_size(kLanes * sizeof(float)), gnu::aligned(sizeof(float)), gnu::may_alias]] = float;

inline Vector load(const float* p) {
    return *reinterpret_cast<const VectorAnywhere*>(p);
}

inline void store(float* p, Vector x) {
    *reinterpret_cast<VectorAnywhere*>(p) = x;
}

inline Vector broadcast(float x) {
    return x - Vector{};
}

// a * b + c, rounded once where the machine can.
inline Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

// Keeps x in a register: without this GCC loads it anew for every use, which takes more loads than the machine has.
template <class V>
inline void hold([[maybe_unused]] V& x) {
#if defined(__AVX512F__)
    asm("" : "+v"(x));
#elif defined(__SSE2__)
    asm("" : "+x"(x));
#endif
}

// NaN stays.
inline Vector limit(Vector x, Vector low, Vector high) {
    const Vector y = x < low ? low : x;
    return y > high ? high : y;
}
