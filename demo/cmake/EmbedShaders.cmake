# Writes every shader into one C++ table, so that the demo needs no shader file at run time.
# Run as: cmake -DOUTPUT=file.cpp -DSHADER_DIR=dir "-DSHADERS=a;b" -P EmbedShaders.cmake
set(text "// Made from shaders/ by EmbedShaders.cmake.\n#include \"draw/shaders.h\"\n\nnamespace augur::demo {\nnamespace {\n\n")
string(APPEND text "constexpr ShaderText kShaders[] = {\n")
foreach(name IN LISTS SHADERS)
    file(READ "${SHADER_DIR}/${name}" source)
    string(APPEND text "    {\"${name}\", R\"glsl(${source})glsl\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const ShaderText> embedded_shaders() { return kShaders; }\n\n}  // namespace augur::demo\n")
file(WRITE "${OUTPUT}" "${text}")
