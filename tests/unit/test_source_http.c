/* SPDX-License-Identifier: Apache-2.0 */
/* What is posted, through a thread into a spool: forms, rejects, a disk that fails, a spool that is full. */
#include <unit/failpoint_fixture.h>
#include <unit/spool_fixture.h>

#include "io/posted.h"
#include "io/source_http.h"

/* ---- what is in it --------------------------------------------------------------------------- */

static void expect_posted(const char *text, bool is_json, const char *want)
{
    struct posted p;
    const char *at, *why = NULL;
    enum posted_got got;
    struct buf b;
    size_t len;

    buf_init(&b);
    posted_init(&p, text, strlen(text), is_json);
    while ((got = posted_next(&p, &at, &len, &why)) == POSTED_EVENT)
        buf_printf(&b, "%" PRIu64 ":%.*s|", p.number, (int)len, at);
    buf_adds(&b, got == POSTED_BROKEN ? why : "");
    assert_string_equal(b.data, want);
    buf_fini(&b);
}

static void forms(void **state)
{
    (void)state;
    expect_posted("", false, "");
    expect_posted(" \r\n\n", true, "");
    expect_posted("{}\n\n x \r\n{\"a\":1}", false, "1:{}|3: x |4:{\"a\":1}|");
    expect_posted("\xef\xbb\xbf{}\n", false, "1:{}|");
    expect_posted("\xef\xbb\xbf [{}]", false, "1:{}|");
    expect_posted(" [ ] ", false, "");
    expect_posted("[{\"a\":[1,2]},\n3,\"]\\\"\",null , {} ]\n", false,
                  "1:{\"a\":[1,2]}|2:3|3:\"]\\\"\"|4:null|5:{}|");
    expect_posted("[{},]", true, "1:{}|a value is missing");
    expect_posted("[,{}]", true, "a value is missing");
    expect_posted("[{} {}]", true, "1:{}|`,` or `]` is missing");
    expect_posted("[{}", true, "1:{}|the array has no end");
    expect_posted("[", true, "the array has no end");
    expect_posted("[{}, {\"a\":1", true, "1:{}|what begins here has no end");
    expect_posted("[{}] x", true, "1:{}|something stands behind the array");
    expect_posted("{\n\"a\": \"}\"\n}\n{}7 x\"", true, "1:{\n\"a\": \"}\"\n}|2:{}|3:7|4:x|5:\"|");
    expect_posted("{\"a\":", true, "1:{\"a\":|");
    expect_posted("}}", true, "1:}|2:}|");
    expect_posted("\"\\", true, "1:\"\\|");
}

/* ---- into the spool --------------------------------------------------------------------------- */

struct told {
    _Atomic int n;
    enum source_http_outcome outcome;
    uint64_t accepted, rejected;
    char rejects[6000], why[200];
};

static void take(void *ctx, const struct source_http_answer *answer)
{
    struct told *told = ctx;

    told->outcome = answer->outcome;
    told->accepted = answer->accepted;
    told->rejected = answer->rejected;
    snprintf(told->rejects, sizeof told->rejects, "%s", answer->rejects.len ? answer->rejects.data : "");
    snprintf(told->why, sizeof told->why, "%s", answer->why.len ? answer->why.data : "");
    atomic_fetch_add(&told->n, 1);
}

static struct told post(struct source_http *in, const char *text, bool is_json)
{
    struct told told = {.n = 0};
    struct source_http_post one = {.text = text, .len = strlen(text), .is_json = is_json,
                                   .answer = take, .ctx = &told};

    source_http_take(in, &one);
    source_http_settle(in);
    assert_int_equal(told.n, 1);
    return told;
}

static struct told post_key(struct source_http *in, const char *text, const char *key)
{
    struct told told = {.n = 0};
    struct source_http_post one = {.text = text, .len = strlen(text), .key = key, .answer = take, .ctx = &told};

    source_http_take(in, &one);
    source_http_settle(in);
    assert_int_equal(told.n, 1);
    return told;
}

static struct source_http *start(struct spool *sp)
{
    struct buf why;

    buf_init(&why);
    struct source_http *in = source_http_start(sp, 100, &why);
    assert_non_null(in);
    buf_fini(&why);
    return in;
}

/* All that is in it, with offsets. */
static void expect_spool(struct spool *sp, const char *want)
{
    struct spool_reader *rd = spool_reader_new(sp, 0, PADDING);
    struct spool_line line;
    struct buf b, why;

    buf_init(&b);
    buf_init(&why);
    buf_adds(&b, "");
    while (spool_read(rd, &line, &why) == SPOOL_LINE)
        buf_printf(&b, "%" PRIu64 ":%.*s|", line.offset, (int)line.len, line.text);
    assert_string_equal(b.data, want);
    buf_fini(&b);
    buf_fini(&why);
    spool_reader_free(&rd);
}

static void accepted(void **state)
{
    static const char *const all = "0:{\"a\":1}|8:{ \"a\":2}|17:{}|20:[|";
    struct told told;

    (void)state;
    opt = (struct spool_options){0};
    struct spool *sp = open_spool(NULL);
    struct source_http *in = start(sp);
    told = post(in, "{\"a\":1}\nx\n\n[]\n{\"a\":\"\xff\"}", false);
    assert_int_equal(told.outcome, SOURCE_HTTP_ACCEPTED);
    assert_int_equal(told.accepted, 1);
    assert_int_equal(told.rejected, 3);
    assert_string_equal(told.rejects, "{\"line\":2,\"reason\":\"broken JSON\"},"
                                      "{\"line\":4,\"reason\":\"not a JSON object\"},"
                                      "{\"line\":5,\"reason\":\"invalid UTF-8\"}");
    assert_int_equal(post(in, "[{\n\"a\":2}, {}]", false).accepted, 2);
    assert_int_equal(post(in, "", false).outcome, SOURCE_HTTP_ACCEPTED);
    assert_int_equal(post(in, "x\ny\n", false).outcome, SOURCE_HTTP_REJECTED);
    told = post(in, "[{}, {}", true);
    assert_int_equal(told.outcome, SOURCE_HTTP_BROKEN);
    assert_string_equal(told.why, "the array has no end (byte 8)");
    char wide[130];
    snprintf(wide, sizeof wide, "{\"a\":\"%0*d\"}", 110, 0);
    told = post(in, wide, false);
    assert_int_equal(told.outcome, SOURCE_HTTP_REJECTED);
    assert_string_equal(told.rejects, "{\"line\":1,\"reason\":\"longer than max_line allows\"}");
    source_http_free(&in);
    expect_spool(sp, "0:{\"a\":1}|8:{ \"a\":2}|17:{}|");
    spool_free(&sp);
    sp = open_spool(NULL); /* from disk */
    assert_true(spool_append(sp, "[", 1, 2, 7));
    assert_true(spool_sync(sp));
    expect_spool(sp, all);
    spool_free(&sp);
}

static void bounds(void **state)
{
    enum { LINES = SOURCE_HTTP_EVENTS };
    char *text = mem_alloc(3 * LINES + 4);

    (void)state;
    opt = (struct spool_options){0};
    struct spool *sp = open_spool(NULL);
    struct source_http *in = start(sp);
    for (size_t i = 0; i <= LINES; i++)
        memcpy(text + 3 * i, "{}\n", 4);
    assert_int_equal(post(in, text, false).outcome, SOURCE_HTTP_TOO_MANY);
    assert_int_equal(spool_durable(sp), 0);
    for (size_t i = 0; i < 1000; i++)
        text[3 * i] = 'x';
    text[3000] = '\0';
    struct told told = post(in, text, false);
    assert_int_equal(told.rejected, 1000);
    unsigned n = 0;
    for (const char *at = told.rejects; (at = strstr(at, "\"line\"")); at++)
        n++;
    assert_int_equal(n, SOURCE_HTTP_REJECTS);
    source_http_free(&in);
    spool_free(&sp);
    mem_free(text);
}

static void full(void **state)
{
    struct told told;
    int posts = 0;

    (void)state;
    opt = (struct spool_options){.segment = 1000, .limit = 4000};
    struct spool *sp = open_spool(NULL);
    struct source_http *in = start(sp);
    while ((told = post(in, "{\"a\":1}\n{\"a\":2}\n", false)).outcome == SOURCE_HTTP_ACCEPTED)
        posts++;
    assert_int_equal(told.outcome, SOURCE_HTTP_FULL);
    assert_true(posts > 40);
    assert_int_equal(spool_durable(sp), posts * 16);
    spool_release(sp, spool_durable(sp));
    assert_int_equal(post(in, "{}", false).outcome, SOURCE_HTTP_ACCEPTED);
    source_http_free(&in);
    spool_free(&sp);
}

static void expect_told(struct told told, enum source_http_outcome outcome, uint64_t accepted,
                        uint64_t rejected)
{
    assert_int_equal(told.outcome, outcome);
    assert_int_equal(told.accepted, accepted);
    assert_int_equal(told.rejected, rejected);
    if (rejected)
        assert_non_null(strstr(told.rejects, "\"line\":2"));
}

/* One key: once, over restarts and over segments that went. */
static void keys(void **state)
{
    char text[80], key[300];
    uint64_t end;

    (void)state;
    opt = (struct spool_options){.segment = 2000, .limit = 100000};
    struct spool *sp = open_spool(NULL);
    struct source_http *in = start(sp);
    memset(key, 'k', 255);
    key[255] = '\0';
    expect_told(post_key(in, "{\"a\":1}\nx\n{\"a\":2}\n", "one"), SOURCE_HTTP_ACCEPTED, 2, 1);
    expect_told(post_key(in, "{\"a\":3}", key), SOURCE_HTTP_ACCEPTED, 1, 0);
    expect_told(post_key(in, "x\nx\n", "two"), SOURCE_HTTP_REJECTED, 0, 2);
    expect_told(post_key(in, "{\"a\":4}", "two"), SOURCE_HTTP_ACCEPTED, 1, 0);
    for (int round = 0; round < 3; round++) {
        expect_told(post_key(in, "{\"a\":1}\nx\n{\"a\":2}\n", "one"), SOURCE_HTTP_ACCEPTED, 2, 1);
        expect_told(post_key(in, "{\"a\":3}", key), SOURCE_HTTP_ACCEPTED, 1, 0);
        expect_told(post_key(in, "{\"a\":5}", key), SOURCE_HTTP_OTHER, 0, 0);
        expect_spool(sp, "0:{\"a\":1}|8:{\"a\":2}|16:{\"a\":3}|24:{\"a\":4}|");
        source_http_free(&in);
        spool_free(&sp);
        sp = open_spool(NULL);
        in = start(sp);
    }
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "{\"i\":%d,\"more\":\"and more and more\"}", i);
        char name[20];
        snprintf(name, sizeof name, "k%d", i);
        expect_told(post_key(in, text, i % 3 ? NULL : name), SOURCE_HTTP_ACCEPTED, 1, 0);
        spool_release(sp, spool_durable(sp));
        if (i % 50 == 7) {
            end = spool_durable(sp);
            source_http_free(&in);
            spool_free(&sp);
            sp = open_spool(NULL);
            in = start(sp);
            assert_int_equal(spool_durable(sp), end);
        }
    }
    assert_true(spool_first(sp) > 8000);
    end = spool_durable(sp);
    expect_told(post_key(in, "{\"a\":1}\nx\n{\"a\":2}\n", "one"), SOURCE_HTTP_ACCEPTED, 2, 1);
    expect_told(post_key(in, "{\"i\":99,\"more\":\"and more and more\"}", "k99"), SOURCE_HTTP_ACCEPTED, 1, 0);
    expect_told(post_key(in, "{}", "k297"), SOURCE_HTTP_OTHER, 0, 0);
    assert_int_equal(spool_durable(sp), end);
    source_http_free(&in);
    spool_free(&sp);
}

/* Wherever the file is cut: a batch with a key is there whole, with its key, or not at all. */
static void cut(void **state)
{
    char path[1][MAX_PATH];
    size_t len;

    (void)state;
    opt = (struct spool_options){0};
    struct spool *sp = open_spool(NULL);
    struct source_http *in = start(sp);
    post(in, "{\"a\":1}", false);
    post_key(in, "{\"b\":1}\n{\"b\":2}\n{\"b\":3}\n", "key");
    source_http_free(&in);
    spool_free(&sp);
    assert_int_equal(segments(path, 1), 1);
    char *data = read_bytes(path[0], &len);
    for (size_t at = SPOOL_HEADER + SPOOL_RECORD + 7; at <= len; at++) {
        write_bytes(path[0], data, at);
        sp = open_spool(NULL);
        in = start(sp);
        expect_spool(sp, at == len ? "0:{\"a\":1}|8:{\"b\":1}|16:{\"b\":2}|24:{\"b\":3}|" : "0:{\"a\":1}|");
        expect_told(post_key(in, "{\"b\":1}\n{\"b\":2}\n{\"b\":3}\n", "key"), SOURCE_HTTP_ACCEPTED, 3, 0);
        expect_told(post_key(in, "{}", "key"), SOURCE_HTTP_OTHER, 0, 0);
        expect_spool(sp, "0:{\"a\":1}|8:{\"b\":1}|16:{\"b\":2}|24:{\"b\":3}|");
        source_http_free(&in);
        spool_free(&sp);
    }
    mem_free(data);
}

/* Many at once: each post stays together, and is answered once. */
static struct source_http *shared;

static void *post_many(void *arg)
{
    unsigned who = *(unsigned *)arg;
    char text[200];

    for (int i = 0; i < 100; i++) {
        struct told told = {.n = 0};
        struct source_http_post one = {.text = text, .answer = take, .ctx = &told};
        one.len = (size_t)snprintf(text, sizeof text, "{\"w\":%u,\"i\":%d}\n{\"w\":%u,\"j\":%d}\n", who, i, who, i);
        source_http_take(shared, &one);
        while (atomic_load(&told.n) == 0)
            usleep(100);
        assert_int_equal(told.accepted, 2);
    }
    return NULL;
}

static void together(void **state)
{
    unsigned who[4], i[4] = {0}, w, is;
    pthread_t thread[4];
    struct spool_line line;
    struct buf why;

    (void)state;
    opt = (struct spool_options){0};
    struct spool *sp = open_spool(NULL);
    shared = start(sp);
    for (unsigned t = 0; t < 4; t++) {
        who[t] = t;
        assert_int_equal(pthread_create(&thread[t], NULL, post_many, &who[t]), 0);
    }
    for (unsigned t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
    struct told told = {.n = 0};
    source_http_free(&shared);
    assert_int_equal(told.n, 0);
    struct spool_reader *rd = spool_reader_new(sp, 0, PADDING);
    buf_init(&why);
    for (int n = 0; n < 400; n++) {
        assert_int_equal(spool_read(rd, &line, &why), SPOOL_LINE);
        assert_int_equal(sscanf(line.text, "{\"w\":%u,\"i\":%u}", &w, &is), 2);
        assert_int_equal(is, i[w]++);
        assert_int_equal(spool_read(rd, &line, &why), SPOOL_LINE);
        assert_int_equal(sscanf(line.text, "{\"w\":%u,\"j\":%u}", &who[0], &is), 2);
        assert_int_equal(who[0], w);
    }
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_NOTHING);
    spool_reader_free(&rd);
    spool_free(&sp);
}

#ifdef TOCSIN_FAILPOINTS
/* The first to write: main says which writes fail. */
static void failing(void **state)
{
    struct told told;

    (void)state;
    opt = (struct spool_options){0};
    struct spool *sp = open_spool(NULL);
    struct source_http *in = start(sp);
    assert_int_equal(post(in, "{\"a\":1}", false).outcome, SOURCE_HTTP_ACCEPTED);
    for (int i = 0; i < 4; i++) { /* fsync, fsync, write, segment */
        struct buf why;
        buf_init(&why);
        told = post_key(in, "{\"lost\":1}\nx\n{\"b\":1}\n", "key");
        assert_int_equal(told.outcome, SOURCE_HTTP_FAILED);
        assert_non_null(strstr(told.why, "spool cannot be written"));
        assert_true(spool_failed(sp, &why));
        buf_fini(&why);
        assert_int_equal(post(in, "x\n", false).outcome, SOURCE_HTTP_REJECTED);
    }
    assert_int_equal(post(in, "{\"a\":2}", false).outcome, SOURCE_HTTP_ACCEPTED);
    assert_false(spool_failed(sp, NULL));
    for (int i = 0; i < 2; i++) /* of those that failed nothing is known */
        expect_told(post_key(in, "{\"lost\":1}\nx\n{\"b\":1}\n", "key"), SOURCE_HTTP_ACCEPTED, 2, 1);
    expect_spool(sp, "0:{\"a\":1}|8:{\"a\":2}|16:{\"lost\":1}|27:{\"b\":1}|");
    source_http_free(&in);
    spool_free(&sp);
    sp = open_spool(NULL);
    expect_spool(sp, "0:{\"a\":1}|8:{\"a\":2}|16:{\"lost\":1}|27:{\"b\":1}|");
    spool_free(&sp);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TOCSIN_FAILPOINTS
        TEST(failing),
#endif
        TEST(forms), TEST(accepted), TEST(bounds), TEST(full), TEST(keys), TEST(cut), TEST(together),
    };

    setenv("TOCSIN_FAILPOINTS", "spool_sync=error@2-3,spool_write=full@4,spool_roll=full@4", 1);
    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL), "a disk that fails");
}
