// SPDX-License-Identifier: Apache-2.0
/*
 * store_log - is LevelDB's log damaged, or only torn at its end?
 *
 * A power failure may leave the last write half on the disk: its blocks reach it in any order, zeros in
 * between. What was not synced is not missed. LevelDB cannot tell that from a record that was destroyed
 * in the middle, behind which others were acknowledged; with paranoid checks it refuses both, without
 * them it passes over both in silence. So the log is read here: it is torn when behind the damage no
 * record begins.
 *
 * The log (LevelDB's doc/log_format.md): blocks of 32 KiB, records of a header (masked CRC-32C of type and
 * data, 4 bytes; length, 2; type, 1) and data; a record never spans blocks, a batch may be several:
 * FIRST MIDDLE ... LAST.
 */
#ifndef STATE_STORE_LOG_H
#define STATE_STORE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum store_log_state {
    STORE_LOG_WHOLE,
    STORE_LOG_TORN,    /* at torn_at; nothing begins behind it */
    STORE_LOG_DAMAGED,
};

enum store_log_state store_log_check(const void *log, size_t len, size_t *torn_at_out);
/* The same of all logs of a database; the worst of them. A log that cannot be read counts as damaged. */
enum store_log_state store_log_check_all(const char *dir);

#endif
