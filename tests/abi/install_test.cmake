# Installs the build, moves the installed tree elsewhere, and builds and runs a consumer against it from outside: nothing may
# lead back to where it was built or first installed.

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " line)
        message(FATAL_ERROR "exit code ${result}: ${line}\n${output}")
    endif()
    set(run_output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --component sdk --prefix "${WORK_DIR}/first/place")
file(RENAME "${WORK_DIR}/first/place" "${WORK_DIR}/moved tree")
set(prefix "${WORK_DIR}/moved tree")

file(GLOB_RECURSE texts "${prefix}/*.cmake" "${prefix}/*.pc" "${prefix}/*.h" "${prefix}/*.hpp")
foreach(text IN LISTS texts)
    file(READ "${text}" content)
    foreach(trace "${BUILD_DIR}" "${SOURCE_DIR}" "${WORK_DIR}/first")
        string(FIND "${content}" "${trace}" position)
        if(NOT position EQUAL -1)
            message(FATAL_ERROR "${text} names ${trace}")
        endif()
    endforeach()
endforeach()

if(WAY STREQUAL "cmake")
    set(build "${WORK_DIR}/build")
    run("${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
        "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" -DCMAKE_BUILD_TYPE=Release
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_FIND_USE_SYSTEM_PACKAGE_REGISTRY=OFF)
    run("${CMAKE_COMMAND}" --build "${build}")
    run("${build}/consumer_c")
    message("${run_output}")
    run("${build}/consumer_cpp")
    message("${run_output}")
    # The examples say of themselves that they build like this.
    run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}/sdk/examples" -B "${build}/examples" -G "${GENERATOR}"
        "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
    run("${CMAKE_COMMAND}" --build "${build}/examples")
    run("${build}/examples/hello_host")
    message("${run_output}")
else()
    find_program(PKG_CONFIG NAMES pkg-config pkgconf)
    if(NOT PKG_CONFIG)
        message("skipped: pkg-config is not here")
        return()
    endif()
    set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIB_DIR}/pkgconfig")
    # As in a Makefile: the shell takes the flags apart, so a blank in the path must arrive escaped.
    file(WRITE "${WORK_DIR}/build.sh" "set -e
flags=$(\"${PKG_CONFIG}\" --cflags --libs augur)
eval \"\\\"${C_COMPILER}\\\" -std=c99 -Wall -Wextra -Wpedantic -Werror '${CONSUMER_DIR}/consumer.c' -o '${WORK_DIR}/consumer_c' $flags\"
")
    run(sh "${WORK_DIR}/build.sh")
    run("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${prefix}/${LIB_DIR}" "${WORK_DIR}/consumer_c")
    message("${run_output}")
endif()
