// SPDX-License-Identifier: Apache-2.0
/*
 * body_entity - what an alert is about, for schemas that want to know: addresses, users, hosts, hashes in
 * its key and emitted fields (body_entity.def), and tactics and techniques in its tags (body_attack.def).
 */
#ifndef IO_BODY_ENTITY_H
#define IO_BODY_ENTITY_H

#include <stddef.h>

#include "event/json_view.h"

struct body_item;

enum body_entity { BODY_ENTITY_none, BODY_ENTITY_ip, BODY_ENTITY_user, BODY_ENTITY_host, BODY_ENTITY_hash };

enum { BODY_MAX_FIELDS = 100 }; /* of key and fields together that are looked at */

/* A member of the key or the fields that is no object; nested ones by their dotted path. Of two with one
 * path the first. */
struct body_pair {
    enum body_entity entity;
    const char *path; /* without "key." or "fields."; valid during the call */
    size_t len;
    struct json_view value;
};
void body_each_pair(const struct body_item *item, void (*found)(void *ctx, const struct body_pair *pair),
                    void *ctx);

/* A tag of ATT&CK; either a tactic or a technique. */
struct body_attack {
    const char *tactic_id, *tactic; /* or NULL */
    char technique[16];             /* "T1110"; "" if it is a tactic */
    char sub_technique[16];         /* "T1110.003" or "" */
};
void body_each_attack(const struct body_item *item,
                      void (*found)(void *ctx, const struct body_attack *attack), void *ctx);

#endif
