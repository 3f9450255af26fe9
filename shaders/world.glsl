// The game's own world, as it lies in its OpenGL buffers. scenes/skirmish_world.h has the same layout and the planner reads
// these numbers in place. Positions are floats that always hold whole multiples of 1 / kScale, so that every sum is exact and
// the world unfolds the same way on every machine.
struct Unit {
    vec2 position;   // world units
    vec2 objective;  // where to go while no enemy is in sight
    int health;      // 0: fallen, waiting for its next wave
    int kind;        // kMelee, kRanged, kHealer
    int team;        // 0 or 1
    int cooldown;    // ticks until it can strike
    int ability;     // ticks until its ability is ready
    int facing;      // 0 .. 7, counter-clockwise from east
    int timer;       // ticks since it fell
    int deed;        // what it did in the last tick: kDeedNone ...
    int target;      // whom it did it to, or -1
    int wave;        // how often it has come back
};

const int kDeedNone = 0;
const int kDeedStrike = 1;
const int kDeedMend = 2;
const int kDeedVolley = 3;
const int kDeedCircle = 4;
const int kDeedGuard = 5;
