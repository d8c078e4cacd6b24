// SPDX-License-Identifier: Apache-2.0
/* Logs of payments and orders, of a name server, of an identity provider. */
#include <stdio.h>

#include <examples/generate.h>

/* ---- payments and orders --------------------------------------------------------------------- */

/* An authorisation or a capture, of card or order NUMBER. */
static void payment(struct generator *g, int64_t at, const char *action, const char *outcome,
                    int number, double amount)
{
    log_add(
        g->log, at,
        "{\"@timestamp\":\"%s\",\"event\":{\"action\":\"%s\",\"outcome\":\"%s\"},"
        "\"card\":{\"id\":\"card-%d\"},\"customer\":{\"id\":\"k%d\"},\"order\":{\"id\":\"o%d\"},"
        "\"payment\":{\"id\":\"p%d-%zu\",\"amount\":%.2f,\"currency\":\"EUR\",\"entry_mode\":"
        "\"ecommerce\"},\"merchant\":{\"id\":\"m%d\",\"country\":\"FR\"}}",
        rfc3339(at).text, action, outcome, number, number, number, number, g->log->count, amount,
        number % 7);
}

static struct person order(struct generator *g, int64_t at, double total)
{
    struct person id;

    snprintf(id.name, sizeof id.name, "o%d", g->next_order++);
    log_add(g->beside, at,
            "{\"@timestamp\":\"%s\",\"event\":{\"action\":\"order_placed\"},\"order\":{\"id\":"
            "\"%s\",\"total\":%.2f,\"currency\":\"EUR\"},\"customer\":{\"id\":\"k%s\"}}",
            rfc3339(at).text, id.name, total, id.name + 1);
    return id;
}

/* An order that is paid DELAY s after. */
static void order_paid(struct generator *g, int64_t at, int delay)
{
    double total = 20 + random_in(g, 0, 18000) / 100.0;
    int number = g->next_order;

    order(g, at, total);
    payment(g, at + delay, "authorization", "success", number, total);
    payment(g, at + delay, "capture", "success", number, total);
}

void payments_background(struct generator *g, int64_t at)
{
    order_paid(g, at, random_in(g, 5, random_in(g, 0, 9) ? 180 : 3000));
}

/* COUNT authorisations of a euro, EVERY s apart, of a new card. Returns it. */
static int card_tried(struct generator *g, int64_t at, int count, int every)
{
    int card = g->next_order++;
    int i;

    for (i = 0; i < count; i++)
        payment(g, at + (int64_t)i * every, "authorization", i % 2 ? "success" : "failure", card,
                1);
    return card;
}

void payments_incidents(struct generator *g, int64_t start, int64_t span)
{
    static const char *const outcomes[] = {"success", "failure"};
    struct person id;
    char who[32];
    int64_t at;
    int i, card;

    for (i = 0; i < 2; i++) { /* a card is tried and used: at once, in exactly half an hour */
        at = start + span / 8 * (i + 1);
        card = card_tried(g, at, 5 + i, 60);
        at += i ? 1800 : 420;
        payment(g, at, "authorization", "success", card, 480);
        snprintf(who, sizeof who, "card-%d", card);
        plant(g, "card_testing", at, who);
    }
    at = start + span / 8 * 3; /* near misses: tried too seldom, used too late, used in vain */
    payment(g, at + 600, "authorization", "success", card_tried(g, at, 4, 60), 480);
    payment(g, at + 1801, "authorization", "success", card_tried(g, at, 5, 60), 480);
    payment(g, at + 600, "authorization", "failure", card_tried(g, at, 5, 60), 480);

    at = start + span / 8 * 4; /* never paid */
    id = order(g, at, 89.9);
    plant(g, "order_unpaid", at + 3600, id.name);
    for (i = 0; i < 2; i++) { /* paid a second late, paid in vain */
        at = start + span / 8 * (5 + i);
        id = order(g, at, 49.5);
        payment(g, at + (i ? 60 : 3601), "capture", outcomes[i], g->next_order - 1, 49.5);
        plant(g, "order_unpaid", at + 3600, id.name);
    }
    order_paid(g, start + span / 8 * 7, 3600); /* near misses: in the last moment, too early */
    order_paid(g, start + span / 8 * 7 + 5, -60);
}

/* ---- a name server --------------------------------------------------------------------------- */

static void question(struct generator *g, int64_t at, int host, const char *name,
                     const char *domain, const char *type)
{
    log_add(
        g->log, at,
        "{\"@timestamp\":\"%s\",\"source\":{\"ip\":\"198.51.100.%d\"},\"dns\":{\"question\":{"
        "\"name\":\"%s.%s\",\"subdomain\":\"%s\",\"registered_domain\":\"%s\",\"type\":\"%s\"}}}",
        rfc3339(at).text, host, name, domain, name, domain, type);
}

void dns_background(struct generator *g, int64_t at)
{
    static const char *const names[] = {"www", "mail", "api", "static.assets", "login"};
    static const char *const domains[] = {"example.com", "example.org", "example.net"};

    question(g, at, random_in(g, 1, USERS), names[random_in(g, 0, 4)], domains[random_in(g, 0, 2)],
             random_in(g, 0, 3) ? "A" : "AAAA");
}

/* COUNT new names of LENGTH characters (24 at most), EVERY s apart. */
static void tunnel(struct generator *g, int64_t at, int host, const char *domain, int count,
                   int length, int every)
{
    char name[25];
    int i, k;

    for (i = 0; i < count; i++) {
        for (k = 0; k < length; k++)
            name[k] = (char)('a' + random_in(g, 0, 25));
        name[k] = '\0';
        question(g, at + (int64_t)i * every, host, name, domain, "TXT");
    }
}

void dns_incidents(struct generator *g, int64_t start, int64_t span)
{
    tunnel(g, start + span / 8, 51, "example.edu", 24, 24, 3); /* fast; told of once */
    plant(g, "dns_tunnelling", start + span / 8 + 57, "198.51.100.51");
    tunnel(g, start + span / 8 * 2, 52, "example.edu", 20, 16, 31); /* as slow as may be */
    plant(g, "dns_tunnelling", start + span / 8 * 2 + 589, "198.51.100.52");

    tunnel(g, start + span / 8 * 3, 53, "example.edu", 20, 24, 32);   /* near misses: slower, */
    tunnel(g, start + span / 8 * 4, 54, "cloudfront.net", 24, 24, 3); /* a known domain, */
    tunnel(g, start + span / 8 * 5, 55, "example.edu", 19, 24, 3);    /* fewer */
}

/* ---- an identity provider ---------------------------------------------------------------------
 */

static void sign_in(struct generator *g, int64_t at, const char *user, const char *outcome,
                    const char *country, const char *ip)
{
    log_add(g->log, at,
            "{\"@timestamp\":\"%s\",\"event\":{\"action\":\"login\",\"outcome\":\"%s\"},\"user\":{"
            "\"name\":\"%s\"},\"source\":{\"ip\":\"%s\",\"geo\":{\"country_iso_code\":\"%s\"}}}",
            rfc3339(at).text, outcome, user, ip, country);
}

void idp_background(struct generator *g, int64_t at)
{
    static const char *const countries[] = {"FR", "DE", "PL"};
    char user[16], ip[32];
    int last = random_in(g, 1, USERS);

    snprintf(user, sizeof user, "u%03d", last);
    snprintf(ip, sizeof ip, "198.51.100.%d", last);
    sign_in(g, at, user, random_in(g, 0, 9) ? "success" : "failure", countries[last % 3], ip);
}

/* A password is tried on COUNT users, EVERY s apart. */
static void spray(struct generator *g, int64_t at, const char *ip, int count, int every)
{
    char user[16];
    int i;

    for (i = 0; i < count; i++) {
        snprintf(user, sizeof user, "u%03d", i + 1);
        sign_in(g, at + (int64_t)i * every, user, "failure", "NL", ip);
    }
}

void idp_incidents(struct generator *g, int64_t start, int64_t span)
{
    static const int days = 86400;
    struct person person = person_new(g, "u");

    sign_in(g, start, person.name, "success", "FR", "198.51.100.61"); /* abroad on the fourth day */
    sign_in(g, start + 4 * days, person.name, "success", "BR", "203.0.113.61");
    plant(g, "first_country_for_user", start + 4 * days, person.name);
    sign_in(g, start + 5 * days, person.name, "success", "BR",
            "203.0.113.61"); /* it is known now */

    person = person_new(g, "u"); /* near miss: a traveller, in the first three days */
    sign_in(g, start + 60, person.name, "success", "FR", "198.51.100.62");
    sign_in(g, start + 3 * days, person.name, "success", "JP", "203.0.113.62");
    sign_in(g, start + 5 * days, person.name, "success", "FR", "198.51.100.62");

    spray(g, start + span / 8 * 2, "203.0.113.240", 25, 20); /* told of once */
    plant(g, "password_spray", start + span / 8 * 2 + 19 * 20, "203.0.113.240");
    spray(g, start + span / 8 * 3, "203.0.113.241", 20, 32); /* near miss: slower */
}
