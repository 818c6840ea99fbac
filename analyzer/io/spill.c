/* spill.c - see spill.h. */
#include "spill.h"
#include "array.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Room that an array gets at once, and how often the thread looks. */
enum { STEP_BYTES = 64 << 20, LOOK_NS = 5000000 };

/* An array in a file. */
struct spill {
    struct spill *next;
    void *v;
    size_t bytes; /* of the file and its mapping */
    int fd;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct spill *spills;
static bool trimming, full; /* full: no array found room any more, and further ones stay in the heap */
static size_t above = SIZE_MAX, resident;

void cw_spill_begin(size_t from_bytes, size_t resident_bytes)
{
    above = from_bytes;
    resident = resident_bytes;
}

/* ---- the thread */

/* Bytes of mapped files that are resident; 0: not known. */
static size_t resident_files(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%*u %*u %lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Hands pages back: they stay in their file, and come again when they are touched. */
static void *trim(void *unused)
{
    const struct timespec pause = {0, LOOK_NS};
    bool more = true;

    while (more) {
        bool many = resident_files() > resident;
        pthread_mutex_lock(&lock);
        for (struct spill *s = spills; many && s; s = s->next)
            madvise(s->v, s->bytes, MADV_DONTNEED);
        more = trimming = spills != NULL;
        pthread_mutex_unlock(&lock);
        nanosleep(&pause, NULL);
    }
    return unused;
}

/* Under the lock. Without the thread all works as well, and more stays resident. */
static void start_trimming(void)
{
    pthread_t thread;
    sigset_t all, before;

    if (trimming)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    trimming = !pthread_create(&thread, NULL, trim, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (trimming)
        pthread_detach(thread);
}

/* ---- arrays */

/* The place in the list of the array at `v`, under the lock; its value is NULL when it has not spilled. */
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

/* Under the lock: `bytes` of room for the array at *v, of which `used` are in use. *v is NULL only when the
 * heap is to be taken. False: memory is out. */
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
        start_trimming();
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
    pthread_mutex_lock(&lock);
    ok = grow(&grown, count * size, &bytes);
    pthread_mutex_unlock(&lock);
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

    pthread_mutex_lock(&lock);
    at = find(v);
    s = v ? *at : NULL;
    if (s)
        *at = s->next;
    pthread_mutex_unlock(&lock);
    if (s)
        release(s);
    else
        free(v);
}
