# Compile and link options shared by every Augur target, as one interface target: augur_build_options.
# Nothing in here is installed: a host that links Augur gets include folders and a library, never our warning flags.

add_library(augur_build_options INTERFACE)
target_compile_features(augur_build_options INTERFACE c_std_99 cxx_std_20)

set(_cxx "$<COMPILE_LANGUAGE:CXX>")
set(_c_or_cxx "$<COMPILE_LANGUAGE:C,CXX>")
set(_cuda "$<COMPILE_LANGUAGE:CUDA>")

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(augur_build_options INTERFACE
        "$<${_c_or_cxx}:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>"
        # Equal answers on every backend: no fused multiply-add that the source did not ask for, and never fast-math.
        "$<${_c_or_cxx}:-ffp-contract=off>")
    if(AUGUR_WERROR)
        target_compile_options(augur_build_options INTERFACE "$<${_c_or_cxx}:-Werror>")
    endif()
endif()

if(AUGUR_HAS_CUDA)
    # --fmad=false mirrors -ffp-contract=off. nvcc's generated code is not pedantic-clean, so -Wpedantic stays off here.
    target_compile_options(augur_build_options INTERFACE
        "$<${_cuda}:--fmad=false;--expt-relaxed-constexpr;--extended-lambda>"
        "$<${_cuda}:-Xcompiler=-Wall,-Wextra,-Wshadow,-ffp-contract=off>")
    if(AUGUR_CUDA_ARCHITECTURES STREQUAL "all")
        if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
            target_compile_options(augur_build_options INTERFACE "$<${_cuda}:--compress-mode=size>")
        endif()
    else()
        # Source lines for profilers and compute-sanitizer; a release carries neither them nor the build machine's paths.
        target_compile_options(augur_build_options INTERFACE "$<${_cuda}:-lineinfo>")
    endif()
    if(AUGUR_WERROR)
        target_compile_options(augur_build_options INTERFACE "$<${_cuda}:-Werror=all-warnings>")
    endif()
endif()

if(AUGUR_SANITIZE STREQUAL "address")
    set(_sanitizers "address,undefined")
elseif(AUGUR_SANITIZE STREQUAL "thread")
    set(_sanitizers "thread")
elseif(AUGUR_SANITIZE)
    message(FATAL_ERROR "AUGUR_SANITIZE is '${AUGUR_SANITIZE}', allowed: empty, address, thread")
endif()
if(AUGUR_SANITIZE)
    # A finding ends the test: a report that scrolls by in a passing run would never be read.
    target_compile_options(augur_build_options INTERFACE
        "$<${_c_or_cxx}:-fsanitize=${_sanitizers};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g>")
    target_link_options(augur_build_options INTERFACE -fsanitize=${_sanitizers})
    # GCC sees instrumented code of its own <regex> as reading what was never written; it says so in its manual.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(augur_build_options INTERFACE "$<${_c_or_cxx}:-Wno-maybe-uninitialized>")
    endif()
endif()

unset(_cxx)
unset(_c_or_cxx)
unset(_cuda)
unset(_sanitizers)
