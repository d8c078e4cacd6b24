// SPDX-License-Identifier: Apache-2.0
/*
 * directory_verify - does the directory of each rule's keys (directory.h) add up, and to the records of its keys?
 * For `tocsin state verify`: it reads records as they are, without a program.
 */
#ifndef ENGINE_DIRECTORY_VERIFY_H
#define ENGINE_DIRECTORY_VERIFY_H

#include <stddef.h>
#include <stdint.h>

struct directory_verify;

struct directory_verify *directory_verify_new(void); /* returns owned */
void directory_verify_free(struct directory_verify **dv);
/* A record 'D' or 'P' (record.h), in the order of their keys; others are passed over. */
void directory_verify_take(struct directory_verify *dv, const void *key, size_t key_len, const void *value, size_t len);
/* When all were taken: calls with what is wrong, once for each incarnation of which something is. */
void directory_verify_end(const struct directory_verify *dv, void fault(void *ctx, uint32_t incarnation, const char *why),
                          void *ctx);

#endif
