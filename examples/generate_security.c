// SPDX-License-Identifier: Apache-2.0
/* Logs of an SSH server, of a cloud's interface, of a directory. */
#include <stdbool.h>
#include <stdio.h>

#include <examples/generate.h>

#define ADMIN_POLICY "arn:aws:iam::aws:policy/AdministratorAccess"
#define READ_POLICY  "arn:aws:iam::aws:policy/ReadOnlyAccess"

enum { QUIET_S = 1200 }; /* between two bouts of failed logins from one address */

static const char *const people[] = {"amira", "bastien", "chidi",  "dorota", "elif",
                                     "farid", "greta",   "hiroko", "ines",   "jonas"};
static const char *const guesses[] = {"admin", "test", "oracle", "postgres", "ubuntu", "guest"};
static const char *const hosts[] = {"web-1", "web-2", "db-1", "bastion"};

/* ---- sshd ---------------------------------------------------------------------------------- */

struct client {
    const char *host, *user;
    char ip[32];
    int pid, port;
};

static struct client client_new(struct generator *g, const char *user, const char *range, int last)
{
    struct client client = {.user = user, .pid = g->next_pid++};

    client.host = hosts[random_in(g, 0, 3)];
    client.port = random_in(g, 32768, 60999);
    snprintf(client.ip, sizeof client.ip, "%s.%d", range, last);
    return client;
}

static struct client attacker_new(struct generator *g, const char *user)
{
    return client_new(g, user, "203.0.113", g->next_attacker++);
}

static void sshd_line(struct generator *g, int64_t at, const struct client *c, const char *event,
                      const char *message)
{
    log_add(g->log, at,
            "{\"timestamp\":\"%s\",\"host\":\"%s\",\"program\":\"sshd\",\"pid\":%d,"
            "\"message\":\"%s %s from %s port %d ssh2\",\"sshd\":{\"event\":\"%s\","
            "\"user\":\"%s\",\"src_ip\":\"%s\",\"src_port\":%d,\"method\":\"password\"}}",
            rfc3339(at).text, c->host, c->pid, message, c->user, c->ip, c->port, event, c->user,
            c->ip, c->port);
}

static void sshd_failed(struct generator *g, int64_t at, const struct client *c)
{
    sshd_line(g, at, c, "failed", "Failed password for");
}

static void sshd_invalid(struct generator *g, int64_t at, const struct client *c)
{
    sshd_line(g, at, c, "invalid_user", "Invalid user");
    sshd_line(g, at, c, "failed", "Failed password for invalid user");
}

static void sshd_session(struct generator *g, int64_t at, const struct client *c, const char *what)
{
    log_add(g->log, at,
            "{\"timestamp\":\"%s\",\"host\":\"%s\",\"program\":\"sshd\",\"pid\":%d,"
            "\"message\":\"pam_unix(sshd:session): session %s for user %s\"}",
            rfc3339(at).text, c->host, c->pid, what, c->user);
}

/* A login, and its session; LENGTH 0: the session is never closed. */
static void sshd_accepted(struct generator *g, int64_t at, const struct client *c, int length)
{
    sshd_line(g, at, c, "accepted", "Accepted password for");
    sshd_session(g, at, c, "opened");
    if (length)
        sshd_session(g, at + length, c, "closed");
}

/* Whether an address may fail now without breaking the first promise above. */
static bool may_fail(struct generator *g, int range, int last, int64_t at)
{
    int64_t *failed_at = &g->failed_at[range][last];

    if (*failed_at && at - *failed_at < QUIET_S)
        return false;
    *failed_at = at;
    return true;
}

void sshd_background(struct generator *g, int64_t at)
{
    struct client c;
    int last, times;

    if (random_in(g, 0, 9) < 3) { /* someone from outside tries once */
        last = random_in(g, 1, FIRST_ATTACKER - 1);
        c = client_new(g, guesses[random_in(g, 0, 5)], "203.0.113", last);
        if (may_fail(g, 1, last, at))
            sshd_invalid(g, at, &c);
        return;
    }
    last = random_in(g, 1, USERS); /* someone of the office logs in, perhaps after a slip or two */
    c = client_new(g, people[last % 10], "198.51.100", last);
    times = random_in(g, -3, 2);
    if (times > 0 && may_fail(g, 0, last, at)) {
        while (times-- > 0) {
            sshd_failed(g, at, &c);
            at += random_in(g, 2, 9);
        }
    }
    sshd_accepted(g, at, &c, random_in(g, 10, 3000));
}

/* COUNT failures, EVERY s apart. Returns the time of the last. */
static int64_t sshd_failures(struct generator *g, int64_t at, const struct client *c, int count,
                             int every)
{
    int i;

    for (i = 0; i < count; i++)
        sshd_failed(g, at + (int64_t)i * every, c);
    return at + (int64_t)(count - 1) * every;
}

void sshd_incidents(struct generator *g, int64_t start, int64_t span)
{
    struct client c;
    int64_t at = start + span / 10;

    c = attacker_new(g,
                     "root"); /* brute force: a burst; the second and third alert are held back */
    sshd_failures(g, at, &c, 17, 3);
    plant(g, "ssh_brute_force", at + 12, c.ip);

    at = start + span / 10 * 2; /* five failures in exactly a minute */
    c = attacker_new(g, "admin");
    sshd_failures(g, at, &c, 5, 15);
    plant(g, "ssh_brute_force", at + 60, c.ip);

    at = start + span / 10 * 3; /* near miss: five failures in 64 s */
    c = attacker_new(g, "admin");
    sshd_failures(g, at, &c, 5, 16);

    at = start + span / 10 * 4; /* a burst, and in */
    c = attacker_new(g, "greta");
    plant(g, "ssh_brute_force", at + 20, c.ip);
    at = sshd_failures(g, at, &c, 8, 5) + 4;
    sshd_accepted(g, at, &c, 900);
    plant(g, "ssh_brute_force_success", at, c.ip);

    at = start + span / 10 * 5; /* slow enough for the first rule, and in */
    c = attacker_new(g, "jonas");
    at = sshd_failures(g, at, &c, 9, 40) + 40;
    sshd_accepted(g, at, &c, 1200);
    plant(g, "ssh_brute_force_success", at, c.ip);

    at = start + span / 10 * 6; /* near miss: a success in between, three failures on each side */
    c = attacker_new(g, "ines");
    at = sshd_failures(g, at, &c, 3, 30) + 30;
    sshd_accepted(g, at, &c, 60);
    at = sshd_failures(g, at + 30, &c, 3, 30) + 30;
    c.pid = g->next_pid++;
    sshd_accepted(g, at, &c, 60);

    at = start + span / 10 * 7; /* a session without an end, one of 90 minutes, one of 59 */
    c = client_new(g, "farid", "198.51.100", USERS + 1);
    sshd_accepted(g, at, &c, 0);
    plant(g, "ssh_session_never_closed", at + 3600, c.user);
    c = client_new(g, "elif", "198.51.100", USERS + 2);
    sshd_accepted(g, at + 7, &c, 5400);
    plant(g, "ssh_session_never_closed", at + 3607, c.user);
    c = client_new(g, "dorota", "198.51.100", USERS + 3);
    sshd_accepted(g, at + 9, &c, 3540);
}

/* ---- CloudTrail ---------------------------------------------------------------------------- */

static void cloudtrail_line(struct generator *g, int64_t at, const char *source, const char *name,
                            const char *rest)
{
    const char *actor = people[at % 10];

    log_add(g->log, at,
            "{\"eventVersion\":\"1.08\",\"eventTime\":\"%s\",\"eventSource\":\"%s\","
            "\"eventName\":\"%s\",\"awsRegion\":\"eu-west-1\",\"recipientAccountId\":"
            "\"111122223333\",\"sourceIPAddress\":\"198.51.100.%d\",\"userIdentity\":{\"type\":"
            "\"IAMUser\",\"userName\":\"%s\",\"arn\":\"arn:aws:iam::111122223333:user/%s\"}%s}",
            rfc3339(at).text, source, name, random_in(g, 1, USERS), actor, actor, rest);
}

/* A call of IAM about USER; POLICY and ERROR may be NULL. */
static void iam_call(struct generator *g, int64_t at, const char *name, const char *user,
                     const char *policy, const char *error)
{
    char rest[400], with_policy[120] = "", with_error[80] = "";

    if (policy)
        snprintf(with_policy, sizeof with_policy, ",\"policyArn\":\"%s\"", policy);
    if (error)
        snprintf(with_error, sizeof with_error, ",\"errorCode\":\"%s\"", error);
    snprintf(rest, sizeof rest, ",\"requestParameters\":{\"userName\":\"%s\"%s}%s", user,
             with_policy, with_error);
    cloudtrail_line(g, at, "iam.amazonaws.com", name, rest);
}

void cloudtrail_background(struct generator *g, int64_t at)
{
    struct person person;

    switch (random_in(g, 0, 9)) {
    case 0:
        cloudtrail_line(g, at, "signin.amazonaws.com", "ConsoleLogin",
                        ",\"responseElements\":{\"ConsoleLogin\":\"Success\"}");
        break;
    case 1: cloudtrail_line(g, at, "s3.amazonaws.com", "ListBuckets", ""); break;
    case 2:
        cloudtrail_line(g, at, "ec2.amazonaws.com", "RunInstances",
                        ",\"errorCode\":\"Client.UnauthorizedOperation\"");
        break;
    case 3: /* a new reader */
        person = person_new(g, "reader");
        iam_call(g, at, "CreateUser", person.name, NULL, NULL);
        iam_call(g, at + random_in(g, 5, 60), "AttachUserPolicy", person.name, READ_POLICY, NULL);
        iam_call(g, at + random_in(g, 61, 300), "CreateAccessKey", person.name, NULL, NULL);
        break;
    case 4: /* a key of someone known is changed */
        iam_call(g, at, "CreateAccessKey", people[random_in(g, 0, 9)], NULL, NULL);
        break;
    default: cloudtrail_line(g, at, "ec2.amazonaws.com", "DescribeInstances", ""); break;
    }
}

void cloudtrail_incidents(struct generator *g, int64_t start, int64_t span)
{
    struct person person;
    int64_t at;
    int i;

    for (i = 1; i <= 3; i++) { /* the whole chain: at once, in minutes, in 50 minutes */
        at = start + span / 8 * i;
        person = person_new(g, "svc-backup");
        iam_call(g, at, "CreateUser", person.name, NULL, NULL);
        iam_call(g, at + 2 * i * i * i, "AttachUserPolicy", person.name, ADMIN_POLICY, NULL);
        at += (int64_t)111 * i * i * i;
        iam_call(g, at, "CreateAccessKey", person.name, NULL, NULL);
        plant(g, "cloudtrail_new_admin_user", at, person.name);
    }

    at = start + span / 8 * 4; /* near miss: the policy was refused */
    person = person_new(g, "intern");
    iam_call(g, at, "CreateUser", person.name, NULL, NULL);
    iam_call(g, at + 20, "AttachUserPolicy", person.name, ADMIN_POLICY, "AccessDenied");
    iam_call(g, at + 40, "CreateAccessKey", person.name, NULL, NULL);

    at = start + span / 8 * 5; /* near miss: the key came before the policy */
    person = person_new(g, "deploy");
    iam_call(g, at, "CreateUser", person.name, NULL, NULL);
    iam_call(g, at + 20, "CreateAccessKey", person.name, NULL, NULL);
    iam_call(g, at + 40, "AttachUserPolicy", person.name, ADMIN_POLICY, NULL);

    at = start + span / 8 * 6; /* near miss: two users, each with a part of it */
    person = person_new(g, "audit");
    iam_call(g, at, "CreateUser", person.name, NULL, NULL);
    iam_call(g, at + 20, "AttachUserPolicy", person.name, ADMIN_POLICY, NULL);
    iam_call(g, at + 40, "CreateAccessKey", "amira", NULL, NULL);
}

/* ---- logins and password changes ----------------------------------------------------------- */

static void login_line(struct generator *g, int64_t at, const char *user, const char *category,
                       const char *action, const char *outcome, const char *ip)
{
    log_add(g->log, at,
            "{\"@timestamp\":\"%s\",\"event\":{\"category\":\"%s\",\"action\":\"%s\","
            "\"outcome\":\"%s\"},\"user\":{\"id\":\"%s\"},\"source\":{\"ip\":\"%s\"},"
            "\"host\":{\"name\":\"dc-1\"}}",
            rfc3339(at).text, category, action, outcome, user, ip);
}

static void login(struct generator *g, int64_t at, const char *user, const char *ip)
{
    login_line(g, at, user, "authentication", "login", "success", ip);
}

static void password_change(struct generator *g, int64_t at, const char *user, const char *ip)
{
    login_line(g, at, user, "iam", "password_change", "success", ip);
}

/* Everyone of the background has one address, so no change comes from another one. */
void login_background(struct generator *g, int64_t at)
{
    char user[16], ip[32];
    int last = random_in(g, 1, USERS);

    snprintf(user, sizeof user, "u%03d", last);
    snprintf(ip, sizeof ip, "198.51.100.%d", last);
    switch (random_in(g, 0, 9)) {
    case 0: login_line(g, at, user, "authentication", "login", "failure", ip); break;
    case 1:
        login(g, at, user, ip);
        password_change(g, at + random_in(g, 10, 50), user, ip);
        break;
    case 2: login_line(g, at, user, "authentication", "logout", "success", ip); break;
    default: login(g, at, user, ip); break;
    }
}

void login_incidents(struct generator *g, int64_t start, int64_t span)
{
    static const int gaps[] = {5, 30, 60};
    struct person person;
    char ip[32];
    int64_t at;
    int i;

    for (i = 0; i < 3; i++) {
        at = start + span / 8 * (i + 1);
        person = person_new(g, "u");
        snprintf(ip, sizeof ip, "203.0.113.%d", 220 + i);
        login(g, at, person.name, "198.51.100.77");
        password_change(g, at + gaps[i], person.name, ip);
        plant(g, "login_then_password_change", at + gaps[i], person.name);
    }

    at = start + span / 8 * 4; /* near miss: a second too late */
    person = person_new(g, "u");
    login(g, at, person.name, "198.51.100.78");
    password_change(g, at + 61, person.name, "203.0.113.230");

    at = start + span / 8 * 5; /* near miss: through the VPN */
    person = person_new(g, "u");
    login(g, at, person.name, "198.51.100.79");
    password_change(g, at + 20, person.name, "192.0.2.14");

    at = start + span / 8 * 6; /* near miss: the login failed */
    person = person_new(g, "u");
    login_line(g, at, person.name, "authentication", "login", "failure", "198.51.100.80");
    password_change(g, at + 20, person.name, "203.0.113.231");
}
