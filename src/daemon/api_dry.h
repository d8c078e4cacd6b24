// SPDX-License-Identifier: Apache-2.0
/*
 * api_dry - what changes nothing and may take long: checks, tests and dry runs. They compile, which may take a
 * second for a thousand rules, and tests may take ten; main answers others meanwhile.
 *
 *   main --api_dry_put: what runs is copied--> worker (api_worker.h) --> the handler, as on main --> answered
 *
 * 1. A handler sees the rules as they were when main came to the request: what was answered before it is there.
 * 2. It sees the configuration that is there when it begins, until api_dry_let_config or its end; main waits
 *    for that (api_hold_config) before it changes to another one.
 */
#ifndef DAEMON_API_DRY_H
#define DAEMON_API_DRY_H

#include <stdbool.h>

struct api;
struct api_call;

/* Is it one of them, to be put there? Not while rows of tables came over the interface: these are main's
 * (uploads.h), and so is what compiles with them. */
bool api_dry_is(const struct api_call *call);
/* Main. False: too many wait, it is to be answered. */
bool api_dry_put(const struct api_call *call, bool (*handler)(struct api_call *call));
/* The handler needs the configuration no more. On main it does nothing. */
void api_dry_let_config(struct api_call *call);
/* Is there somebody who waits for the handler to give up? On main: no. */
bool api_dry_ending(const struct api_call *call);

#endif
