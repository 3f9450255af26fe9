# Code that the documents show, for tests that compile it.
#
# augur_code_of(DOCUMENT LANGUAGE PREFIX LEAST)
#
# Cuts the blocks of a language out of a Markdown document, as they stand there, into documents/PREFIX_0.inc, PREFIX_1.inc and so on in
# the current binary folder. Fewer than LEAST of them end the configuration.
function(augur_code_of document language prefix least)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${document}")
    file(READ "${PROJECT_SOURCE_DIR}/${document}" text)
    set(fence "```${language}\n")
    string(LENGTH "${fence}" fence_length)
    set(count 0)
    string(FIND "${text}" "${fence}" begin)
    while(NOT begin EQUAL -1)
        math(EXPR begin "${begin} + ${fence_length}")
        string(SUBSTRING "${text}" ${begin} -1 text)
        string(FIND "${text}" "```" end)
        string(SUBSTRING "${text}" 0 ${end} block)
        string(SUBSTRING "${text}" ${end} -1 text)
        file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/documents/${prefix}_${count}.inc" CONTENT "@block@" @ONLY)
        math(EXPR count "${count} + 1")
        string(FIND "${text}" "${fence}" begin)
    endwhile()
    if(count LESS least)
        message(FATAL_ERROR "${document} has ${count} blocks of ${language}, expected ${least} or more")
    endif()
endfunction()
