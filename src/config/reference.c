// SPDX-License-Identifier: Apache-2.0
#include "config/reference.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/page.h"
#include "base/version.h"
#include "config/option.h"

static const enum config_of blocks[] = {CONFIG_OF_engine, CONFIG_OF_rules_topic, CONFIG_OF_source, CONFIG_OF_source_kafka,
                                        CONFIG_OF_sink, CONFIG_OF_sink_kafka, CONFIG_OF_sink_tls, CONFIG_OF_route, CONFIG_OF_http,
                                        CONFIG_OF_http_tls};
enum { N_BLOCKS = sizeof blocks / sizeof *blocks };

static const char *block_form(enum config_of of)
{
    switch (of) {
    case CONFIG_OF_rules_topic: return "engine { rules_topic { ... } }";
    case CONFIG_OF_source: return "source NAME { ... }";
    case CONFIG_OF_sink: return "sink NAME { ... }";
    case CONFIG_OF_source_kafka: return "source NAME { kafka { ... } }";
    case CONFIG_OF_sink_kafka: return "sink NAME { kafka { ... } }";
    case CONFIG_OF_sink_tls: return "sink NAME { tls { ... } }";
    case CONFIG_OF_http: return "http { ... }";
    case CONFIG_OF_http_tls: return "http { tls { ... } }";
    case CONFIG_OF_route: return "route { ... }";
    default: return "engine { ... }";
    }
}

/* "of `file`": which blocks of this kind have the key; NULL: all. */
static const char *only_of(enum config_of of)
{
    switch (of) {
    case CONFIG_OF_source_follow: return "file` or `kafka";
    case CONFIG_OF_sink_file: return "file";
    case CONFIG_OF_source_spool: return "stdin` or `http";
    case CONFIG_OF_sink_webhook: return "webhook";
    case CONFIG_OF_sink_topic: return "kafka";
    default: return NULL;
    }
}

/* In a table a bar is escaped. */
static void add_cell(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_printf(out, "%s%c", *text == '|' ? "\\" : "", *text);
}

static void add_row(struct buf *out, const struct config_option *o)
{
    struct buf initial;

    buf_init(&initial);
    config_add_initial(&initial, o);
    buf_printf(out, "| `%s` | ", o->key);
    add_cell(out, config_type_text(o));
    buf_printf(out, " | %s | ", initial.len ? initial.data : "");
    if (only_of(o->of))
        buf_printf(out, "(with `%s`) ", only_of(o->of));
    add_cell(out, o->doc);
    buf_adds(out, " |\n");
    buf_fini(&initial);
}

void config_reference_markdown(struct buf *out)
{
    for (int b = 0; b < N_BLOCKS; b++) {
        buf_printf(out, "%s`%s`\n\n| key | value | default | |\n|---|---|---|---|\n", b ? "\n" : "",
                   block_form(blocks[b]));
        for (int i = 0; i < CONFIG_OPTION_COUNT; i++)
            if (config_block_of(config_options[i].of) == blocks[b])
                add_row(out, &config_options[i]);
    }
}

/* ---- tocsin.conf(5) -------------------------------------------------------------------------- */

static const char about[] =
    "What `tocsind` reads, where its state is, and where alerts go. The file has the syntax of rules: "
    "blocks of keys with a value each, several values in `[ ]`, comments behind `#`. Durations have a "
    "unit, such as `500ms`, `30s`, `1h30m`; sizes too, such as `64KiB`, `16MiB`, `4GiB`. Every key has a "
    "default, and no block is required: without a file rules come from `rules`, events, as the source "
    "`events`, from standard input, and alerts go to standard output.\n"
    "Paths are relative to the directory of the file. A text may be `env(\"NAME\")`, a variable of the "
    "environment, or `file(\"PATH\")`, what a file holds, without line ends behind it; neither is shown "
    "in messages.\n"
    "Secrets of webhooks are shown nowhere either, whatever is wrong.\n"
    "`tocsind --check -c FILE` tells what is wrong with a configuration and with its rules, and which rules' "
    "alerts go to which sinks.";

static const char default_to[] =
    "The sinks of rules that have no `to`. Without it: every sink that is not a source's `late` or "
    "`dead_letter` nor named by a route, and if there is none, standard output. Sinks that a stream has as `quarantine` are "
    "among them: with such a stream, say `default_to`.";

static const char example[] =
    ".SH EXAMPLE\n.nf\n"
    "engine { rules \"rules\"  state \"/var/lib/tocsin\" }\n"
    "source sshd {\n"
    "  file     \"/var/log/sshd/*.ndjson\"\n"
    "  time     timestamp\n"
    "  lateness 5s\n"
    "  late     late_events\n"
    "}\n"
    "sink alerts { file \"alerts.ndjson\"  rotate_every 1d  rotate_keep 30 }\n"
    "sink late_events { file \"late.ndjson\" }\n"
    "sink soc {\n"
    "  webhook \"https://soc.example/hook\"\n"
    "  secret  env(\"SOC_SECRET\")\n"
    "}\n"
    "default_to alerts\n"
    "route { severity [high, critical]  to [soc]  mute \"Sat,Sun 00:00-24:00 Europe/Paris\" }\n"
    ".fi\n"
    ".SH SEE ALSO\ntocsind(1), tocsin(1)\n";

static void man_key(const struct config_option *o)
{
    struct buf initial;

    buf_init(&initial);
    config_add_initial(&initial, o);
    printf(".TP\n\\fB%s\\fR \\fI", o->key);
    page_roff(config_type_text(o));
    puts("\\fR");
    if (only_of(o->of))
        printf("With \\fB%s\\fR: ", only_of(o->of));
    page_roff(o->doc);
    if (initial.len) {
        printf(" (default ");
        page_roff(initial.data);
        putchar(')');
    }
    putchar('\n');
    buf_fini(&initial);
}

void config_reference_man(void)
{
    printf(".TH TOCSIN.CONF 5 \"\" \"tocsin %s\" \"File Formats\"\n", version_string());
    puts(".SH NAME\ntocsin.conf \\- the configuration of tocsind\n.SH DESCRIPTION");
    page_roff(about);
    putchar('\n');
    for (int b = 0; b < N_BLOCKS; b++) {
        printf(".SS %s\n", block_form(blocks[b]));
        for (int i = 0; i < CONFIG_OPTION_COUNT; i++)
            if (config_block_of(config_options[i].of) == blocks[b])
                man_key(&config_options[i]);
    }
    puts(".SS default_to SINK | [SINK, ...]");
    page_roff(default_to);
    putchar('\n');
    fputs(example, stdout);
}
