// SPDX-License-Identifier: Apache-2.0
/*
 * rules_wish - what a record of the topic of rules wants: that a module has this text, or that it is not there.
 * Its key is the module's name, its value the text; headers say what is to become of state, and who wrote it.
 *
 *     on_reload         drain | fresh | refuse     as the parameter of the HTTP interface
 *     allow_state_drop  1 | true | 0 | false       likewise
 *     author            text                       told, and not proven
 *     dry_run, if_match                            refused: a compacted topic keeps nothing else of the module
 */
#ifndef FLOW_RULES_WISH_H
#define FLOW_RULES_WISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/swap.h"

struct buf;
struct topic_record;

enum { RULES_AUTHOR_MOST = 200 }; /* bytes */

struct rules_wish { /* embedded: _read or _decode, _fini */
    char *name;          /* owned, as are the others */
    char *text;          /* NUL-terminated, UTF-8; NULL: the module is to be taken away */
    size_t len;
    char *author;        /* as the record says; NULL: it does not */
    struct swap_policy policy;
    int32_t partition;
    uint64_t offset;
    int64_t time;        /* of the record, ns; INT64_MIN: none */
    bool answered;       /* once: that it cannot come true now */
};

/* What is wrong with a record, whatever runs. */
enum rules_fault { RULES_FINE, RULES_BAD_KEY, RULES_BAD_VALUE, RULES_TOO_LONG, RULES_BAD_HEADER };

/* Anything but RULES_FINE: in why what it is; wish_out is then to be freed all the same, and has a name if the key
 * is one. */
enum rules_fault rules_wish_read(const struct topic_record *record, struct rules_wish *wish_out, struct buf *why);
void rules_wish_fini(struct rules_wish *wish);
/* As a record of the database. */
void rules_wish_encode(struct buf *out, const struct rules_wish *wish);
/* False: the bytes are none. */
bool rules_wish_decode(const void *data, size_t len, struct rules_wish *wish_out);

#endif
