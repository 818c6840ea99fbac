/* spill.c - see array.h. */
#include "array.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Room that an array gets at once; after how much time of its thread pages are looked at; by how much other
 * files' pages seem to grow each time. */
enum { STEP_BYTES = 64 << 20, LOOK_NS = 10000000, OTHERS_BYTES = 64 << 10 };

/* An array in a file. */
struct spill {
    struct spill *next;
    void *v;
    size_t bytes; /* of the file and its mapping */
    int fd;
};

static atomic_flag taken = ATOMIC_FLAG_INIT; /* the list is being changed or walked through */
static struct spill *spills;
static bool full; /* no array found room any more, and further ones stay in the heap */
static size_t above = SIZE_MAX, resident;
static timer_t timer;
static bool ticking;

void cw_spill_begin(size_t from_bytes, size_t resident_bytes)
{
    above = from_bytes;
    resident = resident_bytes;
}

static void take(void)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        sched_yield();
}

static void give(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

/* ---- handing pages back: a signal handler, run after each LOOK_NS that the thread with the arrays has
 * computed, so that it cannot touch much in between, however busy the machine is */

/* Bytes of mapped files that are resident, the third number of statm; 0: not known. */
static size_t resident_files(void)
{
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC), column = 0;
    size_t pages = 0;
    char text[128];
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);

    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < n && column < 3; i++)
        if (text[i] == ' ')
            column++;
        else if (column == 2)
            pages = 10 * pages + (size_t)(text[i] - '0');
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Pages stay in their file, and come again when they are touched. What is left behind them are the program's
 * own files, which do not count. */
static void look(int signal)
{
    static size_t others;
    int saved = errno;
    size_t now;

    (void)signal;
    if (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        return;
    now = resident_files();
    others = now < others ? now : others;
    if (now - others > resident) {
        for (struct spill *s = spills; s; s = s->next)
            madvise(s->v, s->bytes, MADV_DONTNEED);
        now = resident_files();
        others = now < others + OTHERS_BYTES ? now : others + OTHERS_BYTES;
    }
    give();
    errno = saved;
}

/* Without the signal all works as well, and more stays resident. */
static void start_looking(void)
{
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    const struct itimerspec each = {{0, LOOK_NS}, {0, LOOK_NS}};

    if (ticking)
        return;
    event._sigev_un._tid = gettid();
    sigemptyset(&action.sa_mask);
    ticking = !sigaction(SIGPROF, &action, NULL) && !timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
    if (ticking)
        timer_settime(timer, 0, &each, NULL);
}

static void stop_looking(void)
{
    if (ticking)
        timer_delete(timer);
    ticking = false;
}

/* ---- arrays */

/* The place in the list of the array at `v`; its value is NULL when it has not spilled. The list is taken. */
static struct spill **find(const void *v)
{
    struct spill **s = &spills;

    while (*s && (*s)->v != v)
        s = &(*s)->next;
    return s;
}

static int open_file(void)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    int fd;

    if (!folder || *folder != '/')
        folder = "/var/tmp";
    fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && snprintf(name, sizeof name, "%s/clweave-XXXXXX", folder) < (int)sizeof name &&
        (fd = mkostemp(name, O_CLOEXEC)) >= 0)
        unlink(name);
    return fd;
}

/* Room for `bytes` in the file of `s`, mapped. False: as before. */
static bool widen(struct spill *s, size_t bytes)
{
    void *v;

    if (fallocate(s->fd, 0, 0, (off_t)bytes))
        return false;
    v = s->v ? mremap(s->v, s->bytes, bytes, MREMAP_MAYMOVE)
             : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (v == MAP_FAILED)
        return false;
    s->v = v;
    s->bytes = bytes;
    return true;
}

/* A new file with the first `used` bytes of `v`, which it frees; NULL: it could not be made. */
static struct spill *move_out(void *v, size_t used, size_t bytes)
{
    struct spill *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->fd = open_file();
    if (s->fd < 0 || !widen(s, bytes)) {
        if (s->fd >= 0)
            close(s->fd);
        free(s);
        return NULL;
    }
    if (used)
        memcpy(s->v, v, used);
    free(v);
    return s;
}

static void release(struct spill *s)
{
    munmap(s->v, s->bytes);
    close(s->fd);
    free(s);
}

/* Back to the heap, as the file could not grow. */
static void *move_in(struct spill *s, size_t used, size_t bytes)
{
    void *v = malloc(bytes);

    if (!v)
        return NULL;
    memcpy(v, s->v, used);
    *find(s->v) = s->next;
    release(s);
    return v;
}

/* `bytes` of room for the array at *v, of which `used` are in use. The list is taken. False: no memory. */
static bool grow(void **v, size_t used, size_t *bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), wide = (*bytes + STEP_BYTES) / page * page;
    struct spill *s = *v ? *find(*v) : NULL;

    if (s && !widen(s, wide)) {
        *bytes += *bytes / 2;
        return (*v = move_in(s, used, *bytes)) != NULL;
    }
    if (!s) {
        s = full ? NULL : move_out(*v, used, wide);
        full = !s;
        if (!s) {
            *bytes += *bytes / 2;
            return (*v = realloc(*v, *bytes)) != NULL;
        }
        s->next = spills;
        spills = s;
        start_looking();
    }
    *v = s->v;
    *bytes = s->bytes;
    return true;
}

bool cw_spill_reserve(void *v_pointer, size_t *capacity, size_t count, size_t more, size_t size)
{
    size_t wanted, bytes;
    void *v, *grown;
    bool ok;

    memcpy(&v, v_pointer, sizeof v); /* as in cw_array_reserve */
    if (more > SIZE_MAX / size - count)
        return false;
    wanted = count + more;
    if ((v && wanted <= *capacity) || wanted * size < above)
        return cw_array_reserve(v_pointer, capacity, count, more, size);
    if (wanted > SIZE_MAX / size / 2 - STEP_BYTES)
        return false;
    bytes = wanted * size;
    grown = v;
    take();
    ok = grow(&grown, count * size, &bytes);
    give();
    if (!ok)
        return false;
    memcpy(v_pointer, &grown, sizeof grown);
    *capacity = bytes / size;
    if (more)
        memset((char *)grown + count * size, 0, more * size);
    return true;
}

void cw_spill_free(void *v)
{
    struct spill **at, *s;

    take();
    at = find(v);
    s = v ? *at : NULL;
    if (s)
        *at = s->next;
    if (s && !spills)
        stop_looking();
    give();
    if (s)
        release(s);
    else
        free(v);
}
