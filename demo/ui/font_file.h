// A look at a font file before Dear ImGui reads it: its reader trusts what it is given.
#pragma once

#include <string>

namespace augur::demo {

/// True when `path` is a TrueType file whose tables lie inside it and are those that drawing glyphs needs.
bool is_usable_font(const std::string& path);

}  // namespace augur::demo
