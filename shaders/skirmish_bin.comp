// Puts every living unit into the list of its grid cell. The lists' order varies from run to run; whoever reads them
// decides by distance and index, which do not.
void main() {
    uint me = gl_GlobalInvocationID.x;
    if (me >= unit_count) return;
    hits[me] = ivec2(0);
    if (units[me].health <= 0) return;
    int cell = cell_index(cell_of(steps_of(units[me].position)));
    links[me] = atomicExchange(heads[cell], int(me));
    atomicAdd(tally[units[me].team & 1], 1);
}
