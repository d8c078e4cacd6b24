// SPDX-License-Identifier: Apache-2.0
/* `tocsin state module`: modules that came over the HTTP interface, or from a topic, of a daemon that does not start. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "state/module_version.h"
#include "state/modules.h"
#include "state/space.h"

/* The record of the rules, for writing if `write`. NULL: a message was printed. */
static struct store *open_modules(const char *dir, bool write, struct modules *mods)
{
    struct store_options opt = {.read_only = !write};
    struct database_meta meta;
    struct buf why;

    buf_init(&why);
    struct store *st = database_open(dir, &opt, &meta, &why);
    if (st && !state_modules(st, mods, &why)) {
        store_free(&st);
        if (why.len == 0)
            buf_adds(&why, "the record of the rules is damaged, or of a later version");
    }
    if (!st)
        state_fail(why.data);
    buf_fini(&why);
    return st;
}

/* Of no file; NULL: none of that name. */
static const struct module_text *find(const struct modules *mods, const char *name)
{
    const struct module_text *text =
        mods->n > 0 ? generation_text(&mods->generation[0], name) : NULL;

    return text && text->origin != MODULE_FILE ? text : NULL;
}

static int not_there(const char *name)
{
    fprintf(stderr, "tocsin: no module `%s` came over the HTTP interface, or from a topic\n", name);
    return EXIT_FAILED;
}

int state_module_list(const struct state_arguments *args)
{
    struct modules mods;
    struct store *st = open_modules(args->dir, false, &mods);

    if (!st)
        return EXIT_FAILED;
    for (size_t i = 0; mods.n > 0 && i < mods.generation[0].n_texts; i++) {
        const struct module_text *text = &mods.generation[0].text[i];
        if (text->origin != MODULE_FILE)
            printf("%s  %sversion %" PRIu64 "  %zu bytes\n", text->name,
                   text->origin == MODULE_TOPIC ? "of a topic  " : "", text->version, text->len);
    }
    modules_fini(&mods);
    store_free(&st);
    return EXIT_OK;
}

int state_module_get(const struct state_arguments *args)
{
    struct modules mods;
    struct store *st = open_modules(args->dir, false, &mods);
    int code = EXIT_OK;

    if (!st)
        return EXIT_FAILED;
    const struct module_text *text = find(&mods, args->more);
    if (text)
        fwrite(text->text, 1, text->len, stdout);
    else
        code = not_there(args->more);
    modules_fini(&mods);
    store_free(&st);
    return code;
}

/* Its text goes; what its rules keep goes when the daemon starts without them. */
static bool drop(struct store *st, struct modules *mods, const struct module_text *text,
                 struct buf *why)
{
    static const uint8_t key = SPACE_MODULES;
    struct generation *gen = &mods->generation[0];
    struct store_batch *batch = store_batch_new();
    struct module_version version = {.time = clock_wall(),
                                     .removed = true,
                                     .who = "tocsin state",
                                     .who_len = strlen("tocsin state"),
                                     .text = ""};
    size_t at = (size_t)(text - gen->text);
    struct module_text gone = *text;
    struct buf value;
    bool ok;

    buf_init(&value);
    ok = module_version_last(st, gone.name, &version.number, why) == STORE_OK;
    version.number = (version.number > gone.version ? version.number : gone.version) + 1;
    module_version_put(batch, gone.name, &version, UINT32_MAX);
    memmove(gen->text + at, gen->text + at + 1, (--gen->n_texts - at) * sizeof *gen->text);
    modules_encode(&value, mods);
    store_batch_put(batch, &key, 1, value.data, value.len);
    gen->text[gen->n_texts++] = gone; /* to be freed */
    ok = ok && store_write(st, batch, true, why) == STORE_OK;
    store_batch_free(&batch);
    buf_fini(&value);
    return ok;
}

int state_module_drop(const struct state_arguments *args)
{
    struct modules mods;
    struct store *st = open_modules(args->dir, true, &mods);
    struct buf why;
    int code = EXIT_OK;

    if (!st)
        return EXIT_FAILED;
    buf_init(&why);
    const struct module_text *text = find(&mods, args->more);
    if (!text)
        code = not_there(args->more);
    else if (!drop(st, &mods, text, &why))
        code = state_fail(why.data);
    else
        printf("%s is gone; its versions are kept\n", args->more);
    buf_fini(&why);
    modules_fini(&mods);
    store_free(&st);
    return code;
}
