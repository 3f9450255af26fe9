// A planner's desc, checked against the rules and turned into what engines are made from.
#ifndef AUGUR_RUNTIME_PLANNER_DESC_H
#define AUGUR_RUNTIME_PLANNER_DESC_H

#include "backend/backend.h"

namespace augur {

// Every "default" is resolved in *out; rules is left as given, learned is left out.
augur_result resolve_planner_desc(const augur_planner_desc& desc, const core::RulesInfo& rules, EngineDesc* out);

}  // namespace augur

#endif  // AUGUR_RUNTIME_PLANNER_DESC_H
