// Programs made from the shaders that were embedded at build time.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "app/gl.h"

namespace augur::demo {

struct ShaderText {
    const char* name;
    const char* source;
};

/// Every file of shaders/, by name.
std::span<const ShaderText> embedded_shaders();

/// Compiles and links the named shaders; the stage follows from the ending (.vert, .frag, .comp). Each is preceded by
/// the version line and view.glsl; files ending in .glsl are put before all of them. Returns an empty program and the
/// compiler's words in `error` when one fails.
GlProgram make_program(std::initializer_list<const char*> names, std::string& error);

}  // namespace augur::demo
