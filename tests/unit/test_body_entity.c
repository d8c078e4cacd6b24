// SPDX-License-Identifier: Apache-2.0
/* body_entity: what an alert is about, by names and values; tactics and techniques in its tags. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/body_entity.h"
#include "io/body_priv.h"

static struct body_item item_of(const char *json)
{
    struct body_alert alert = {json, strlen(json), true};
    struct body_item item;

    body_item_init(&item, &alert, 0);
    assert_true(item.is_alert);
    return item;
}

static void write_pair(void *ctx, const struct body_pair *pair)
{
    static const char *const names[] = {"-", "ip", "user", "host", "hash"};

    buf_printf(ctx, "%.*s:%s ", (int)pair->len, pair->path, names[pair->entity]);
}

static void pairs(void **state)
{
    struct body_item item = item_of(
        "{\"key\":{\"user.name\":\"joe\",\"src_ip\":\"10.0.0.1\",\"n\":7},"
        "\"fields\":{\"n\":8,\"host\":{\"name\":\"web-1\",\"ip\":\"2001:db8::1\"},\"HostName\":\"a\",\"Target-User\":\"b\","
        "\"sha256\":\"00\",\"user\":5,\"login\":\"\",\"ip\":\"10.0.0.300\",\"list\":[\"10.0.0.1\"],"
        "\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":1}}}}},\"superuser\":\"x\",\"name\":\"y\"}}");
    struct buf out;

    (void)state;
    buf_init(&out);
    body_each_pair(&item, write_pair, &out);
    assert_string_equal(out.data, "user.name:user src_ip:ip n:- host.name:host host.ip:ip HostName:host Target-User:user "
                                  "sha256:hash user:- login:- ip:- list:- a.b.c.d.e:- superuser:- name:- ");
    buf_fini(&out);
}

/* Many fields: the first BODY_MAX_FIELDS. */
static void many(void **state)
{
    struct buf text, out;

    (void)state;
    buf_init(&text);
    buf_init(&out);
    buf_adds(&text, "{\"key\":{},\"fields\":{");
    for (int i = 0; i < 300; i++)
        buf_printf(&text, "%s\"f%d\":%d", i > 0 ? "," : "", i, i);
    buf_adds(&text, "}}");
    struct body_item item = item_of(text.data);
    body_each_pair(&item, write_pair, &out);
    assert_non_null(strstr(out.data, "f99:- "));
    assert_null(strstr(out.data, "f100:- "));
    buf_fini(&text);
    buf_fini(&out);
}

static void write_attack(void *ctx, const struct body_attack *attack)
{
    buf_printf(ctx, "%s%s%s%s ", attack->tactic ? attack->tactic_id : "", attack->tactic ? "=" : "",
               attack->tactic ? attack->tactic : attack->technique, attack->sub_technique[0] ? attack->sub_technique : "");
}

static void attacks(void **state)
{
    struct body_item item = item_of(
        "{\"tags\":[\"attack.t1110\",\"attack.T1110.003\",\"attack.credential_access\",\"attack.initial-access\","
        "\"attack.t11\",\"attack.t1110.0\",\"attack.t1110x003\",\"attack.\",\"attack.impact2\",\"attack\",\"t1110\",7,null,"
        "\"attack.command_and_control\",\"car.2016-04-005\"]}");
    struct buf out;

    (void)state;
    buf_init(&out);
    body_each_attack(&item, write_attack, &out);
    assert_string_equal(out.data, "T1110 T1110T1110.003 TA0006=Credential Access TA0001=Initial Access "
                                  "TA0011=Command and Control ");
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(many),
        cmocka_unit_test(attacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
