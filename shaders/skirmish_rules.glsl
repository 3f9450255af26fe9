// The battle's numbers, the same as the rules the planner searches (a test compares them). By kind: melee, ranged, healer.
const int kMelee = 0;
const int kRanged = 1;
const int kHealer = 2;

const int kFullHealth[3] = int[3](60, 36, 40);
const int kAmount[3] = int[3](6, 9, 5);            // damage of a strike, or points mended
const int kCooldown[3] = int[3](0, 3, 3);           // ticks from one strike to the next
const int kReach[3] = int[3](384, 1536, 1280);      // position steps
const int kStraight[3] = int[3](160, 192, 176);     // steps walked a tick along an axis
const int kDiagonal[3] = int[3](113, 136, 124);     // steps walked a tick along each axis of a diagonal

const int kScale = 256;            // position steps to a world unit
const int kAbilityPeriod = 12;     // ticks until an ability is ready again
const int kGuardPlies = 4;         // ticks in which a guard halves damage
const int kThreatRadius = 768;     // a guard needs an enemy so near
const int kVolleyDamage = 10;
const int kVolleyRadius = 512;     // steps around the volley's target
const int kCircleAmount = 6;
const int kCircleRadius = 1024;    // steps around the healer
const int kSprintCooldown = 2;     // least cooldown after a retreat
const int kDistanceGrain = 4;      // squared distances are compared after a shift by so many bits

// Actions 0 .. 7 are moves, counter-clockwise from east.
const int kMoveCount = 8;
const int kHold = 8;
const int kAttack = 9;
const int kFocus = 10;
const int kRetreat = 11;
const int kAbility = 12;
