// SPDX-License-Identifier: Apache-2.0
/* Files that options of Kafka clients name: certificates and keys, relative to the configuration, or to the
 * rule file whose table names them, as all paths are. What is in them is part of a configuration: a new certificate
 * under the old name is another one. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/read_all.h"
#include "config/setting.h"

enum { MOST_BYTES = 1 << 20 }; /* of a file that are looked at */

static bool names_file(const char *option)
{
    static const char *const names[] = {"ssl.ca.location",       "ssl.certificate.location", "ssl.key.location",
                                        "ssl.keystore.location", "ssl.crl.location",         "sasl.kerberos.keytab"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* Of a directory: when something in it came or went. */
static uint64_t hash_file(const char *path, uint64_t seed)
{
    struct stat st;
    struct buf text;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return hash_mix(1, seed);
    buf_init(&text);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        buf_add(&text, (const char *)&st.st_mtim, sizeof st.st_mtim);
    else
        (void)read_all(fd, MOST_BYTES, &text);
    uint64_t hash = hash64(text.len ? text.data : "", text.len, seed);
    buf_fini(&text);
    close(fd);
    return hash;
}

/* `probe` is a word of librdkafka: it looks for the system's certificates. */
static bool is_file(const char *option, const char *value)
{
    return names_file(option) && *value && strcmp(value, "probe") != 0;
}

char *kafka_take_path(const char *dir, const char *option, char *value)
{
    if (!is_file(option, value))
        return value;
    char *path = config_join(dir, value, false);
    mem_free(value);
    return path;
}

char *kafka_take_file(const struct reading *rd, struct config_kafka *kafka, const char *option, char *value)
{
    if (!is_file(option, value))
        return value;
    char *path = kafka_take_path(rd->config->dir, option, value);
    kafka->files = hash_file(path, hash64(option, strlen(option), kafka->files));
    return path;
}
