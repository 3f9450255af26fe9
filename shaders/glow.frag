in vec2 inside;
flat in vec2 army;
layout(location = 0) out vec4 result;

void main() {
    float fall = max(1.0 - dot(inside, inside), 0.0);
    result = vec4(army * fall * fall * 0.35, 0.0, 1.0);
}
