// SPDX-License-Identifier: Apache-2.0
/*
 * sink_kafka_marker - what stands in Kafka beside the messages of a sink: up to which number of its outbox
 * they are there. It is the committed offset of a group without members (`APPLICATION.SINK.outbox`, partition 0
 * of the topic), and a text beside it:
 *
 *     offset    number of the last message that is in the topic, and 1
 *     text      tocsin-1 IDENTITY SESSION LAST
 *
 * IDENTITY names the state directory (what its database is called): numbers of another one mean other messages. It
 * stays while the sink is of another kind, whose position takes the place of this one's, for a time: its numbers go on. SESSION names the process
 * that wrote it: whoever finds another one there than its own has been taken over from. LAST is the id of that
 * last message (`-`: none was sent since the marker was begun): if the outbox has another one of this number, it
 * is an older copy that went on by itself.
 *
 * The sink's position in the state directory has the identity, the number that was sent last, and, if a marker was
 * ahead of the outbox, its number: it stays refused when the outbox has grown beyond it.
 */
#ifndef IO_SINK_KAFKA_MARKER_H
#define IO_SINK_KAFKA_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum { KAFKA_ID_BYTES = 16, KAFKA_LAST_MAX = 96 };

struct kafka_marker {
    uint64_t seq; /* all up to it are in the topic; 0: none */
    uint8_t identity[KAFKA_ID_BYTES], session[KAFKA_ID_BYTES];
    char last[KAFKA_LAST_MAX]; /* without blanks; "": not known */
};

/* Appended: the text beside the offset. */
void kafka_marker_encode(const struct kafka_marker *marker, struct buf *out);
/* False: these are not of a sink of tocsin, or of a later version. */
bool kafka_marker_decode(int64_t offset, const char *text, size_t len, struct kafka_marker *marker_out);

struct kafka_place {
    uint8_t identity[KAFKA_ID_BYTES];
    uint64_t sent;  /* number of the last message that was sent in a transaction; 0: none */
    uint64_t ahead; /* of a marker that was ahead of the outbox; 0: none was */
};

void kafka_place_encode(const struct kafka_place *place, struct buf *out);
/* False: not the position of such a sink. */
bool kafka_place_decode(const void *data, size_t len, struct kafka_place *place_out);

enum kafka_verdict {
    KAFKA_MARKER_NONE,    /* there is none */
    KAFKA_MARKER_OURS,
    KAFKA_MARKER_FOREIGN, /* of another state directory, or nothing that can be read */
    KAFKA_MARKER_AHEAD,   /* of ours, but the outbox never had such a number: it is an older copy */
};
/* marker: NULL if it could not be read. last: number of the last message that the outbox has ever had. */
enum kafka_verdict kafka_marker_judge(bool found, const struct kafka_marker *marker,
                                      const struct kafka_place *own, uint64_t last);

#endif
