// Lays the haze over the picture.
layout(binding = 0) uniform sampler2D haze;
in vec2 place;
layout(location = 0) out vec4 result;

void main() { result = vec4(texture(haze, place).rgb * 0.16, 1.0); }
