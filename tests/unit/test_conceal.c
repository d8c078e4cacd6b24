// SPDX-License-Identifier: Apache-2.0
/* conceal: whatever single character a configuration or a rule file has too few or too many, what is told of it holds
 * no secret of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "lang/ast.h"
#include "lang/parse.h"

#define SECRET "Zq7Kx9"

static const char configuration[] =
    "# don't lose 'this'\n"
    "engine { rules \"rules\"  checkpoint 1s }\n"
    "source s { kafka { brokers \"k:1\"  topics \"t\"\n"
    "  options { sasl.password \"" SECRET "\"  ssl.key.password " SECRET "\n"
    "    sasl.username env(\"USER_NAME\") } } }\n"
    "sink a { webhook \"https://user:" SECRET "@h.example/x/" SECRET "?" SECRET "\"\n"
    "  secret [\"" SECRET "\", '" SECRET "']  in_flight 3 } // it's one\n"
    "sink b { webhook \"https://h.example/x/" SECRET "\"  headers { Authorization \"Bearer " SECRET "\"\n"
    "  `X-Key` '" SECRET "' }  body pagerduty  routing_key \"" SECRET "\"  proxy \"http://u:" SECRET "@p:1\" }\n"
    "#sink c { file \"x\"  secret \"" SECRET "\" }\n"
    "sink c { file \"c.ndjson\" }\n"
    "default_to [c]\n"
    "route { severity high  to [a, b]  mute [\"22:00-06:00 Europe/Paris\"] }\n"
    "http { listen \"127.0.0.1:0\" }\n";

static const char rules[] =
    "list l = like ['*''s*', \"x\"]\n"
    "table users = kafka {\n"
    "  brokers \"k:1\"  topic \"t\"  options { sasl.password \"" SECRET "\"  sasl.mechanism PLAIN\n"
    "    ssl.key.password '" SECRET "' # once \"" SECRET "\"\n"
    "  } } key @kafka.key\n"
    "rule r { match { a: s where x in users and y == \"it\" } }\n";

static void read_configuration(const char *text, size_t len, struct diag *diag)
{
    struct config *config = config_read_text("t.conf", text, len, diag);

    config_free(&config);
}

static void read_rules(const char *text, size_t len, struct diag *diag)
{
    struct ast_module *module = ast_module_new();

    parse_file(module, diag, diag_file_add(diag, "t.rule", text, len));
    ast_module_free(&module);
}

static unsigned wrong;

/* Does what is told of it hold the secret? */
static void look(void (*read)(const char *text, size_t len, struct diag *diag), const char *text, size_t len)
{
    struct diag *diag = diag_new();
    char *exact = mem_alloc(len + (len == 0)); /* so that what reads behind it is seen */
    struct buf out;

    memcpy(exact, text, len);
    read(exact, len, diag);
    mem_free(exact);
    buf_init(&out);
    diag_print(diag, &out);
    diag_print_brief(diag, &out);
    diag_print_json(diag, &out);
    if (out.len > 0 && memmem(out.data, out.len, SECRET, strlen(SECRET)) && wrong++ < 3)
        printf("---- of\n%.*s---- is told\n%.*s", (int)len, text, (int)out.len, out.data);
    buf_fini(&out);
    diag_free(&diag);
}

/* Not within a secret, which would be another one then. */
static bool is_in_secret(const char *text, size_t at)
{
    for (size_t back = 0; back < strlen(SECRET) && back <= at; back++)
        if (strncmp(text + at - back, SECRET, strlen(SECRET)) == 0)
            return true;
    return false;
}

static void change_each(void (*read)(const char *text, size_t len, struct diag *diag), const char *text)
{
    static const char put[] = "\"'`{}()[]#/=.,\n x\\";
    size_t len = strlen(text);
    struct buf b;

    buf_init(&b);
    for (size_t at = 0; at < len; at++) {
        if (is_in_secret(text, at))
            continue;
        buf_clear(&b);
        buf_add(&b, text, at);
        buf_add(&b, text + at + 1, len - at - 1);
        look(read, b.data, b.len);
        for (const char *c = put; *c; c++) {
            buf_clear(&b);
            buf_add(&b, text, at);
            buf_addc(&b, *c);
            buf_add(&b, text + at, len - at);
            look(read, b.data, b.len);
            b.data[at] = text[at];
            b.data[at + 1] = *c;
            look(read, b.data, b.len);
        }
    }
    look(read, text, len);
    for (size_t end = 0; end < len; end++)
        look(read, text, end);
    look(read, "sink a { webhook \"https://", 26);
    look(read, "sink a { webhook \"", 18);
    buf_fini(&b);
    assert_int_equal(wrong, 0);
}

static void configurations(void **state)
{
    (void)state;
    change_each(read_configuration, configuration);
}

static void rule_files(void **state)
{
    (void)state;
    change_each(read_rules, rules);
}

/* What is no secret is shown. */
static void the_rest(void **state)
{
    static const char text[] = "rule r { match { a: s where `@kafka` == \"it\" and = } }\n"
                               "table t = file \"users.csv\" key id id # kafka\n"
                               "table u = kafka { topic \"users\" 5 } key k\n";
    struct diag *diag = diag_new();
    struct buf out;

    (void)state;
    read_rules(text, strlen(text), diag);
    buf_init(&out);
    diag_print(diag, &out);
    assert_non_null(strstr(out.data, "where `@kafka` == \"it\" and ="));
    assert_non_null(strstr(out.data, "file \"users.csv\" key id id # kafka"));
    assert_non_null(strstr(out.data, "topic \"users\" 5"));
    buf_fini(&out);
    diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(configurations), cmocka_unit_test(rule_files),
                                       cmocka_unit_test(the_rest)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
