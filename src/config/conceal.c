// SPDX-License-Identifier: Apache-2.0
/* What may be a secret in the text of a configuration: texts behind keys that have one, and behind what is no key. */
#include <string.h>

#include "config/config_priv.h"
#include "lang/conceal.h"

static enum conceal_mode mode_of(const struct config_option *o)
{
    if (strcmp(o->key, "key") == 0) /* of `routing_ key` too */
        return CONCEAL_TEXTS;
    if (o == &config_options[CONFIG_OPTION_http_tokens]) /* hashes, and by mistake a token */
        return CONCEAL_TEXTS;
    switch (o->type) {
    case CONFIG_TYPE_SECRET:
    case CONFIG_TYPE_SECRETS: return CONCEAL_ALL;
    case CONFIG_TYPE_PROPERTIES:
    case CONFIG_TYPE_HEADERS: return CONCEAL_NAMED;
    case CONFIG_TYPE_URL:
    case CONFIG_TYPE_PROXY: return CONCEAL_URL;
    default: return CONCEAL_NOTHING;
    }
}

static bool key_of(const char *word, size_t len, enum conceal_mode *mode_out)
{
    static const char *const blocks[] = {"engine", "source", "sink", "route", "default_to"};

    *mode_out = CONCEAL_NOTHING;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (strlen(blocks[i]) == len && memcmp(blocks[i], word, len) == 0)
            return true;
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        const char *key = config_options[i].key;
        if (strlen(key) != len || memcmp(key, word, len) != 0)
            continue;
        *mode_out = mode_of(&config_options[i]);
        return true;
    }
    return false;
}

void config_conceal(struct diag *diag, uint32_t file, const char *text, size_t len, bool parses)
{
    conceal_text(diag, file, text, len, parses, key_of);
}
