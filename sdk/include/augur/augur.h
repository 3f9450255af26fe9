/* Augur: foresight for the agents of a game. This header brings in the whole C interface; see base.h for the habits. */
#ifndef AUGUR_AUGUR_H
#define AUGUR_AUGUR_H

#include <augur/base.h>
#include <augur/buffer.h>
#include <augur/context.h>
#include <augur/inspect.h>
#include <augur/model.h>
#include <augur/planner.h>
#include <augur/profile.h>
#include <augur/rules.h>

#endif /* AUGUR_AUGUR_H */
