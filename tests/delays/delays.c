// SPDX-License-Identifier: Apache-2.0
/*
 * delays - makes unlucky moments: preloaded into a program, it lets threads sleep now and then before they lock,
 * after they unlock, wake up, begin, write or read (tests/delays.sh).
 *
 * 1. A place is slow or quick for a whole run, as DELAYS_SEED says: a place is what is called, and the address of
 *    the call within its page, which is the same each time. So of two that race one may be late always and the other
 *    one never; with the next seed it may be the other way round.
 * 2. A thread sleeps no longer than LEAVE and a third of its life: nothing is slowed down without bound.
 * 3. Nothing is synced to the disk, which would be other delays, of the same length at each place: no process that is
 *    killed loses what the system has. All else is as it was: results and errno are those of the call.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND INT64_C(1000000)
#define LEAVE (300 * MILLISECOND)

/* What a place may be, each as likely: one time of `of' it sleeps for up to `longest'. */
static const struct pace {
    uint64_t of, longest;
} paces[] = {
    {0, 0}, {0, 0}, {0, 0}, {0, 0}, {2, MILLISECOND}, {1, 5 * MILLISECOND}, {16, 60 * MILLISECOND}, {64, 400 * MILLISECOND},
};

struct start {
    void *(*run)(void *);
    void *arg;
};

static uint64_t seed;
static __thread uint64_t state; /* of what is random in this thread; 0: it was not here yet */
static __thread int64_t since, slept;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 * MILLISECOND + t.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("DELAYS_SEED");

    seed = mix(text ? strtoull(text, NULL, 10) + 1 : 1);
}

/* Perhaps. */
static void delay(uint64_t called, const void *from)
{
    const struct pace *pace = &paces[mix(seed + (called << 12 | ((uintptr_t)from & 0xfff))) % (sizeof paces / sizeof *paces)];

    if (pace->of == 0)
        return;
    if (state == 0) {
        since = now();
        state = mix(seed ^ (uint64_t)since ^ (uintptr_t)&state) | 1;
    }
    state = state * UINT64_C(6364136223846793005) + 1;
    uint64_t random = mix(state);
    int64_t ns = random % pace->of == 0 ? (int64_t)((random >> 8) % pace->longest) : 0;
    if (ns == 0 || slept + ns > LEAVE + (now() - since) / 3)
        return;
    int saved = errno;
    int64_t begun = now();
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    slept += now() - begun; /* on a machine that is busy far more than it was to be */
    errno = saved;
}

/* What is to be called: the function after this one. Conditions have two versions with glibc on some machines, and
 * dlsym may give the one of long ago. */
static void *next(void **found, const char *name)
{
    void *function = __atomic_load_n(found, __ATOMIC_RELAXED);

    if (!function) {
        function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
        if (!function)
            function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(found, function, __ATOMIC_RELAXED);
    }
    return function;
}

/* TYPE NAME(PARAMETERS), which sleeps before it calls (BEFORE), after, or both; PLACE is its number. */
#define DELAYED(PLACE, BEFORE, AFTER, TYPE, NAME, PARAMETERS, ARGUMENTS) \
    TYPE NAME PARAMETERS \
    { \
        static void *found; \
        TYPE(*function) PARAMETERS; \
        *(void **)&function = next(&found, #NAME); \
        if (BEFORE) \
            delay(PLACE, __builtin_return_address(0)); \
        TYPE result = function ARGUMENTS; \
        if (AFTER) \
            delay(PLACE + 1, __builtin_return_address(0)); \
        return result; \
    }

DELAYED(0, 1, 0, int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock))
DELAYED(2, 0, 1, int, pthread_mutex_unlock, (pthread_mutex_t *lock), (lock))
DELAYED(4, 1, 1, int, pthread_cond_wait, (pthread_cond_t *cond, pthread_mutex_t *lock), (cond, lock))
DELAYED(6, 1, 1, int, pthread_cond_timedwait,
        (pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *until), (cond, lock, until))
DELAYED(8, 1, 1, int, pthread_cond_signal, (pthread_cond_t *cond), (cond))
DELAYED(10, 1, 1, int, pthread_cond_broadcast, (pthread_cond_t *cond), (cond))
DELAYED(12, 1, 1, ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n))
DELAYED(14, 1, 1, ssize_t, read, (int fd, void *data, size_t n), (fd, data, n))
DELAYED(16, 1, 1, ssize_t, pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at))
DELAYED(22, 1, 1, int, epoll_wait, (int fd, struct epoll_event *event, int n, int timeout), (fd, event, n, timeout))
DELAYED(24, 1, 1, int, poll, (struct pollfd *fd, nfds_t n, int timeout), (fd, n, timeout))
DELAYED(26, 1, 0, int, pthread_join, (pthread_t thread, void **result_out), (thread, result_out))

int fdatasync(int fd)
{
    (void)fd;
    delay(18, __builtin_return_address(0));
    return 0;
}

int fsync(int fd)
{
    (void)fd;
    delay(20, __builtin_return_address(0));
    return 0;
}

static void *run_late(void *ctx)
{
    struct start start = *(struct start *)ctx;

    free(ctx);
    delay(28, (void *)start.run);
    return start.run(start.arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    static void *found;
    int (*function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct start *start = malloc(sizeof *start);

    if (!start)
        return EAGAIN;
    *start = (struct start){run, arg};
    *(void **)&function = next(&found, "pthread_create");
    int result = function(thread, attr, run_late, start);
    if (result != 0)
        free(start);
    delay(29, __builtin_return_address(0));
    return result;
}
