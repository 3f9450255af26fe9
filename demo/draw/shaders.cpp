#include "draw/shaders.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace augur::demo {
namespace {

const char* find_source(const char* name) {
    for (const ShaderText& shader : embedded_shaders()) {
        if (std::strcmp(shader.name, name) == 0) return shader.source;
    }
    return nullptr;
}

bool ends_with(std::string_view text, std::string_view ending) {
    return text.ends_with(ending);
}

GLenum stage_of(std::string_view name) {
    if (ends_with(name, ".vert")) return GL_VERTEX_SHADER;
    if (ends_with(name, ".frag")) return GL_FRAGMENT_SHADER;
    return GL_COMPUTE_SHADER;
}

std::string shader_log(GLuint shader) {
    GLint size = 0;
    glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &size);
    std::string log(static_cast<std::size_t>(size > 1 ? size : 1), '\0');
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    return log.c_str();
}

GLuint compile(const char* name, const std::vector<const char*>& parts, std::string& error) {
    const GLuint shader = glCreateShader(stage_of(name));
    glShaderSource(shader, static_cast<GLsizei>(parts.size()), parts.data(), nullptr);
    glCompileShader(shader);
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled == GL_TRUE) return shader;
    error = std::string("shader ") + name + " does not compile: " + shader_log(shader);
    glDeleteShader(shader);
    return 0;
}

}  // namespace

GlProgram make_program(std::initializer_list<const char*> names, std::string& error) {
    std::vector<const char*> shared = {"#version 450 core\n", find_source("view.glsl")};
    for (const char* name : names) {
        if (find_source(name) == nullptr) {
            error = std::string("shader ") + name + " is not part of this build";
            return {};
        }
        if (ends_with(name, ".glsl")) shared.push_back(find_source(name));
    }
    GlProgram program(glCreateProgram());
    for (const char* name : names) {
        if (ends_with(name, ".glsl")) continue;
        std::vector<const char*> parts = shared;
        parts.push_back(find_source(name));
        const GLuint shader = compile(name, parts, error);
        if (shader == 0) return {};
        glAttachShader(program.name(), shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program.name());
    GLint linked = GL_FALSE;
    glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
    if (linked == GL_TRUE) return program;
    GLint size = 0;
    glGetProgramiv(program.name(), GL_INFO_LOG_LENGTH, &size);
    std::string log(static_cast<std::size_t>(size > 1 ? size : 1), '\0');
    glGetProgramInfoLog(program.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
    error = std::string("shader program ") + *names.begin() + " does not link: " + log.c_str();
    return {};
}

}  // namespace augur::demo
