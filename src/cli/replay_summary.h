// SPDX-License-Identifier: Apache-2.0
/* replay_summary - what a replay says on standard error when it has ended. */
#ifndef CLI_REPLAY_SUMMARY_H
#define CLI_REPLAY_SUMMARY_H

struct program;
struct replay;

/* Events, rejected and late lines by source, with the first reasons; alerts by rule. */
void replay_summary(const struct replay *r, const struct program *prog, double seconds);
/* A table: what each rule did and holds. */
void replay_summary_stats(const struct replay *r, const struct program *prog);

#endif
