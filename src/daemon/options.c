// SPDX-License-Identifier: Apache-2.0
#include "daemon/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/page.h"
#include "base/suggest.h"
#include "base/version.h"
#include "config/reference.h"

struct option {
    char letter;
    const char *name, *argument, *help;
};

static const struct option options[DAEMON_OPTION_COUNT] = {
#define OPTION(id, letter, name, argument, help) {letter, name, argument, help},
#include "daemon/option.def"
#undef OPTION
};

/* ---- what is printed ------------------------------------------------------------------------- */

static const char about[] =
    "Runs rules over events as they come, by the events' own times, and tells what they find. What it "
    "knows is kept in a state directory: it may be stopped or killed at any time and goes on where it "
    "was, without losing an alert or telling one twice.";

static const char signals[] =
    "SIGHUP: configuration, rules and the files of secrets and certificates are read again, and if nothing is "
    "wrong with them they take the place of the old ones between two events; with a mistake nothing changes, and "
    "the log has it. Files of sinks are opened anew. The state directory, the bounds of dead letters and the block "
    "http (but its tokens and certificate) are read at a start alone; the log says so if they changed. SIGUSR1: figures are written to the log. SIGTERM, "
    "SIGINT: it stops, with a last checkpoint, and waits for sinks as long as stop_within says; a second one "
    "ends it at once: what is not written by then is read again, what is not delivered waits.\n"
    "It tells systemd (Type=notify) when it is ready, reloads and stops, how it is, and with WatchdogSec that it "
    "is alive: as long as none of the threads that read, run rules and write the state hangs.";

static const char figures[] =
    "With SIGUSR1 and at a stop it tells all figures, a line for each source, rule and sink, by the names below "
    "without what they have in common. Of equal messages the log shows ten in ten seconds; the next one says how "
    "many were held back: held=N.";

static const char metrics[] =
    "Counters go on over changes of rules, and begin anew with the process; those of rules are kept. Times are in seconds, sizes in bytes.";

static void help(void)
{
    puts("usage: tocsind [-c FILE] [--check]\n");
    page_wrap(about, 0);
    putchar('\n');
    for (int i = 0; i < DAEMON_OPTION_COUNT; i++) {
        const struct option *o = &options[i];
        if (o->letter)
            printf("  -%c, --%s", o->letter, o->name);
        else
            printf("  --%s", o->name);
        printf("%s%s\n", o->argument ? " " : "", o->argument ? o->argument : "");
        page_wrap(o->help, 6);
    }
}

static void man(void)
{
    printf(".TH TOCSIND 1 \"\" \"tocsin %s\" \"User Commands\"\n", version_string());
    puts(".SH NAME\ntocsind \\- find patterns of events as they come\n.SH SYNOPSIS");
    puts(".B tocsind\n[\\-c FILE] [\\-\\-check]\n.SH DESCRIPTION");
    page_roff(about);
    puts("\n.SH OPTIONS");
    for (int i = 0; i < DAEMON_OPTION_COUNT; i++) {
        const struct option *o = &options[i];
        fputs(".TP\n\\fB", stdout);
        if (o->letter)
            printf("\\-%c\\fR, \\fB", o->letter);
        page_roff("--");
        page_roff(o->name);
        printf("\\fR%s%s%s\n", o->argument ? " \\fI" : "", o->argument ? o->argument : "",
               o->argument ? "\\fR" : "");
        page_roff(o->help);
        putchar('\n');
    }
    puts(".SH SIGNALS");
    page_roff(signals);
    puts("\n.SH LOG\nIt goes to standard error, a line each: a time, then key=value, or JSON (log_format "
         "in tocsin.conf(5)); to the journal of systemd without the time, and with the level.\n.PP");
    page_roff(figures);
    puts("\n.SH FIGURES");
    page_roff(metrics);
    putchar('\n');
    metrics_reference_man();
    puts(".SH EXIT STATUS\n.TP\n0\nIt was stopped, or all its input has ended; with "
         "\\fB\\-\\-check\\fR: nothing is wrong.\n"
         ".TP\n1\nSomething outside failed: the state directory, a file.\n"
         ".TP\n2\nThe command line, the configuration or a rule is wrong.\n"
         ".TP\n3\nA sink of kafka was taken over by another daemon with the same application and state: this one "
         "stopped, with a last checkpoint.\n"
         ".SH SEE ALSO\ntocsin.conf(5), tocsin(1)");
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static bool wrong(const char *fmt, ...)
{
    va_list args;

    fputs("tocsind: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputs("; `tocsind --help` tells more\n", stderr);
    return false;
}

static bool unknown(const char *text)
{
    char name[64];
    struct suggest s;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    suggest_init(&s, name + strspn(name, "-"));
    for (int i = 0; i < DAEMON_OPTION_COUNT; i++)
        suggest_try(&s, options[i].name);
    if (suggest_result(&s))
        return wrong("unknown option %s, did you mean --%s?", name, suggest_result(&s));
    return wrong("unknown option %s", name);
}

/* The option that a word is; its argument if that is joined to it. -1: none. */
static int find(const char *text, const char **joined_out)
{
    size_t len = strcspn(text, "=");

    *joined_out = NULL;
    for (int i = 0; i < DAEMON_OPTION_COUNT; i++) {
        const struct option *o = &options[i];
        if (text[1] == '-' && strlen(o->name) == len - 2 && memcmp(o->name, text + 2, len - 2) == 0) {
            *joined_out = text[len] ? text + len + 1 : NULL;
            return i;
        }
        if (o->letter && text[1] == o->letter) {
            *joined_out = text[2] ? text + 2 : NULL;
            return i;
        }
    }
    return -1;
}

static bool take(struct daemon_options *to, enum daemon_option option, const char *value)
{
    switch (option) {
    case DAEMON_OPTION_CONFIG:
        if (to->config)
            return wrong("--config is given twice");
        to->config = value;
        return true;
    case DAEMON_OPTION_CHECK: to->check = true; return true;
    case DAEMON_OPTION_HELP: help(); break;
    case DAEMON_OPTION_VERSION: printf("tocsind %s\n", version_string()); break;
    case DAEMON_OPTION_MAN: man(); break;
    case DAEMON_OPTION_MAN_CONF: config_reference_man(); break;
    case DAEMON_OPTION_COUNT: break;
    }
    to->told = true;
    return true;
}

bool daemon_options_read(struct daemon_options *options_out, int argc, char **argv)
{
    *options_out = (struct daemon_options){0};
    for (int i = 1; i < argc && !options_out->told; i++) {
        const char *value;

        if (argv[i][0] != '-')
            return wrong("%s is no option; a configuration is named by -c", argv[i]);
        int option = find(argv[i], &value);
        if (option < 0)
            return unknown(argv[i]);
        if (!options[option].argument && value)
            return wrong("--%s takes no argument", options[option].name);
        if (options[option].argument && !value)
            value = ++i < argc ? argv[i] : NULL;
        if (options[option].argument && !value)
            return wrong("--%s needs an argument", options[option].name);
        if (!take(options_out, (enum daemon_option)option, value))
            return false;
    }
    return true;
}
