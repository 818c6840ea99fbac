/* program_exchange.c - see program_exchange.h. */
#include "program_exchange.h"
#include "../door/lock_order.h"
#include "../../analyzer/settings/options.h"
#include "../door/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { INJECTED_BYTES_MAX = 64 << 20 };

static char dump_folder[PATH_MAX], inject_folder[PATH_MAX];
static atomic_bool dump_failed;

static uint64_t program_files_hash(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u;

    for (; n; n--)
        hash = (hash ^ *p++) * 0x100000001b3u;
    return hash;
}

/* The program may change its folder later. */
static void files_remember(const char *folder, char path[PATH_MAX])
{
    if (folder && *folder && !realpath(folder, path)) {
        cw_log_error("%s: %s", folder, strerror(errno));
        path[0] = '\0';
    }
}

/* Remembers the folders; NULL or "": none. Makes `dump`. Returns true when there is one. Called once,
 * before any other thread is. */
static bool program_files_start(const char *dump, const char *inject)
{
    int saved = errno;

    if (dump && *dump)
        mkdir(dump, 0700); /* a failure shows in files_remember() */
    files_remember(dump, dump_folder);
    files_remember(inject, inject_folder);
    errno = saved;
    return *dump_folder || *inject_folder;
}

static bool program_files_dumps(void)
{
    return *dump_folder && !atomic_load(&dump_failed);
}

static bool name_file(char path[PATH_MAX], const char *folder, uint64_t hash, uint64_t build,
                      const char *ending)
{
    char of_build[20] = "";

    if (build)
        snprintf(of_build, sizeof of_build, "-%016" PRIx64, build);
    return (size_t)snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%s.%s", folder, hash, of_build, ending) <
           PATH_MAX;
}

/* ---- dumping */

/* A file-size limit is an error here, and no signal in the program. */
static bool write_all(int fd, const char *bytes, size_t n)
{
    sigset_t block, old;
    ssize_t done = 0;

    sigemptyset(&block);
    sigaddset(&block, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &block, &old);
    for (size_t at = 0; at < n; at += (size_t)done) {
        done = write(fd, bytes + at, n - at);
        if (done < 0 && errno == EINTR)
            done = 0;
        else if (done <= 0)
            break;
    }
    if (done < 0) {
        int saved = errno;
        while (sigtimedwait(&block, NULL, &(struct timespec){0}) > 0)
            ;
        errno = saved;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return done >= 0;
}

static bool write_file(const char *path, const void *bytes, size_t n)
{
    char temporary[PATH_MAX];
    bool good;
    int fd;

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return false;
    good = write_all(fd, bytes, n);
    good = close(fd) == 0 && good && rename(temporary, path) == 0;
    if (!good) {
        int saved = errno;
        unlink(temporary);
        errno = saved;
    }
    return good;
}

/* Writes a file of the dump; does nothing without --set dump_programs. `build`: 0 for a file of the program
 * alone. `again`: also when it is there. The first failure is told, and nothing is written from then on. */
static void program_files_dump(uint64_t hash, uint64_t build, const char *ending, const void *bytes, size_t n,
                               bool again)
{
    char path[PATH_MAX];
    int saved = errno;

    if (program_files_dumps() && name_file(path, dump_folder, hash, build, ending) &&
        (again || access(path, F_OK) != 0) && !write_file(path, bytes, n)) {
        atomic_store(&dump_failed, true);
        cw_log_warning("cannot write %s: %s; no more programs are dumped", path, strerror(errno));
    }
    errno = saved;
}

/* ---- injecting */

static char *read_all(int fd, size_t size, size_t *n)
{
    char *bytes = malloc(size + 1);
    ssize_t got = 1;

    *n = 0;
    while (bytes && *n < size && got) {
        got = pread(fd, bytes + *n, size - *n, (off_t)*n);
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return NULL;
        }
        *n += got > 0 ? (size_t)got : 0;
    }
    if (bytes)
        bytes[*n] = '\0';
    return bytes;
}

/* The bytes of a file to inject, with a NUL behind them; *n: how many. NULL when there is none, when it is no
 * regular file, cannot be read (which is told) or is longer than 64 MiB. Free the result. */
static char *program_files_injected(uint64_t hash, uint64_t build, const char *ending, size_t *n)
{
    char path[PATH_MAX], *bytes = NULL;
    int fd, saved = errno;
    struct stat st;

    if (!*inject_folder || !name_file(path, inject_folder, hash, build, ending))
        return NULL;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= INJECTED_BYTES_MAX)
        bytes = read_all(fd, (size_t)st.st_size, n);
    else if (fd >= 0)
        errno = EFBIG;
    if (bytes) {
        cw_log_warning("the program runs with text of %s in place of its own (--log info names each file)",
                       inject_folder);
        cw_log_info("injected %s", path);
    } else if (errno != ENOENT)
        cw_log_warning("cannot inject %s: %s; the program's own is used", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    errno = saved;
    return bytes;
}

static struct cw_dispatch below; /* the mode's hooks; complete */
static __thread uint64_t replaced;

/* The programs that were made, the newest last; of a released one until its handle is another's. */
static struct {
    pthread_mutex_t lock;
    struct made {
        cl_program program;
        uint64_t hash;
    } * v;
    size_t count, capacity;
} programs = {.lock = PTHREAD_MUTEX_INITIALIZER};
CW_LOCK_RANK(&programs.lock, EXCHANGE)

uint64_t cw_program_exchange_replaced(void)
{
    return replaced;
}

static struct made *find(cl_program program)
{
    for (size_t i = programs.count; i-- > 0;)
        if (programs.v[i].program == program)
            return &programs.v[i];
    return NULL;
}

/* Where memory is out the program's builds are as the program wants them, and not dumped. */
static void remember(cl_program program, uint64_t hash)
{
    struct made *m, *grown;

    pthread_mutex_lock(&programs.lock);
    m = find(program);
    if (!m && programs.count == programs.capacity &&
        (grown = realloc(programs.v, (programs.capacity + 64) * sizeof *grown))) {
        programs.v = grown;
        programs.capacity += 64;
    }
    if (!m && programs.count < programs.capacity)
        m = &programs.v[programs.count++];
    if (m)
        *m = (struct made){program, hash};
    pthread_mutex_unlock(&programs.lock);
}

/* 0: not known. */
static uint64_t hash_of(cl_program program)
{
    struct made *m;
    uint64_t hash;

    pthread_mutex_lock(&programs.lock);
    m = find(program);
    hash = m ? m->hash : 0;
    pthread_mutex_unlock(&programs.lock);
    return hash;
}

/* ---- making programs */

static size_t length_of(const char *string, const size_t *lengths, cl_uint i)
{
    return lengths && lengths[i] ? lengths[i] : strlen(string);
}

/* The strings in one, *n bytes and a NUL; NULL: the call is wrong, or memory is out. Free the result. */
static char *join(cl_uint count, const char **strings, const size_t *lengths, size_t *n)
{
    char *text;
    size_t at = 0;

    *n = 0;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings || !strings[i])
            return NULL;
        *n += length_of(strings[i], lengths, i);
    }
    text = count ? malloc(*n + 1) : NULL;
    for (cl_uint i = 0; text && i < count; i++) {
        memcpy(text + at, strings[i], length_of(strings[i], lengths, i));
        at += length_of(strings[i], lengths, i);
    }
    if (text)
        text[at] = '\0';
    return text;
}

static cl_program hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *err)
{
    size_t own_bytes, bytes = 0;
    int saved = errno;
    char *own = join(count, strings, lengths, &own_bytes), *text = NULL;
    uint64_t hash = own ? program_files_hash(own, own_bytes) : 0;
    cl_program program;

    if (own) {
        program_files_dump(hash, 0, "cl", own, own_bytes, false);
        text = program_files_injected(hash, 0, "cl", &bytes);
    }
    free(own);
    errno = saved;
    replaced = text ? hash : 0;
    program = text ? below.clCreateProgramWithSource(context, 1, (const char *[]){text}, &bytes, err)
                   : below.clCreateProgramWithSource(context, count, strings, lengths, err);
    replaced = 0;
    if (program && hash)
        remember(program, hash);
    free(text);
    return program;
}

static cl_program hook_clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *err)
{
    uint64_t hash = il && length ? program_files_hash(il, length) : 0;
    cl_program program;
    char *text = NULL;
    size_t bytes = 0;

    if (hash) {
        program_files_dump(hash, 0, "spv", il, length, false);
        text = program_files_injected(hash, 0, "spv", &bytes);
    }
    replaced = text ? hash : 0;
    program = below.clCreateProgramWithIL(context, text ? text : il, text ? bytes : length, err);
    replaced = 0;
    if (program && hash)
        remember(program, hash);
    free(text);
    return program;
}

/* Of several devices the first binary names the program; only that of a single device is replaced. */
static cl_program hook_clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries,
                                                 cl_int *status, cl_int *err)
{
    bool known = n && lengths && binaries && binaries[0] && lengths[0];
    uint64_t hash = known ? program_files_hash(binaries[0], lengths[0]) : 0;
    cl_program program;
    char *text = NULL;
    size_t bytes = 0;

    if (hash) {
        program_files_dump(hash, 0, "bin", binaries[0], lengths[0], false);
        text = n == 1 ? program_files_injected(hash, 0, "bin", &bytes) : NULL;
    }
    replaced = text ? hash : 0;
    program =
        text ? below.clCreateProgramWithBinary(context, 1, devices, &bytes,
                                               (const unsigned char *[]){(unsigned char *)text}, status, err)
             : below.clCreateProgramWithBinary(context, n, devices, lengths, binaries, status, err);
    replaced = 0;
    if (program && hash)
        remember(program, hash);
    free(text);
    return program;
}

/* ---- builds */

/* The options of a build of program `hash`: injected ones, which are to be freed, or NULL: its own. */
static char *exchange_options(uint64_t hash, const char *options)
{
    const char *own = options ? options : "";
    uint64_t build = program_files_hash(own, strlen(own));
    char *text;
    size_t n;

    program_files_dump(hash, build, "options", own, strlen(own), false);
    text = program_files_injected(hash, build, "options", &n);
    if (!text)
        text = program_files_injected(hash, 0, "options", &n);
    for (size_t i = 0; text && text[i]; i++) /* a file may end with a line break, and have several lines */
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
    return text;
}

/* "DEVICE:\n" and what its compiler said, behind *text of *n bytes. */
static void append_log(char **text, size_t *n, cl_program program, cl_device_id device)
{
    size_t name = 0, log = 0;
    char *grown = NULL;

    if (below.clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, &name) == CL_SUCCESS &&
        below.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log) == CL_SUCCESS)
        grown = realloc(*text, *n + name + log + 8);
    if (!grown)
        return;
    *text = grown;
    memset(grown + *n, 0, name + log + 8);
    below.clGetDeviceInfo(device, CL_DEVICE_NAME, name, grown + *n, NULL);
    *n += strlen(grown + *n);
    memcpy(grown + *n, ":\n", 2);
    *n += 2;
    below.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log, grown + *n, NULL);
    *n += strlen(grown + *n);
    grown[(*n)++] = '\n';
}

static void dump_log(cl_program program, uint64_t hash, const char *options)
{
    cl_device_id devices[64];
    char *text = NULL;
    size_t bytes = 0, n = 0;
    int saved = errno;

    if (program_files_dumps() &&
        below.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) == CL_SUCCESS)
        for (size_t i = 0; i < bytes / sizeof *devices; i++)
            append_log(&text, &n, program, devices[i]);
    if (text)
        program_files_dump(hash, program_files_hash(options ? options : "", options ? strlen(options) : 0),
                           "log", text, n, true);
    free(text);
    errno = saved;
}

static cl_int hook_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                  const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *data)
{
    uint64_t hash = hash_of(program);
    int saved = errno;
    char *injected = hash ? exchange_options(hash, options) : NULL;
    cl_int status;

    errno = saved;
    status = below.clBuildProgram(program, n, devices, injected ? injected : options, notify, data);
    if (hash && !notify)
        dump_log(program, hash, options);
    free(injected);
    return status;
}

static cl_int hook_clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                    const char *options, cl_uint headers, const cl_program *header,
                                    const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
                                    void *data)
{
    uint64_t hash = hash_of(program);
    int saved = errno;
    char *injected = hash ? exchange_options(hash, options) : NULL;
    cl_int status;

    errno = saved;
    status = below.clCompileProgram(program, n, devices, injected ? injected : options, headers, header,
                                    names, notify, data);
    if (hash && !notify)
        dump_log(program, hash, options);
    free(injected);
    return status;
}

void cw_program_exchange_install(struct cw_dispatch *hooks, const struct cw_options *options)
{
    if (!program_files_start(options->dump_programs, options->inject))
        return;
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    below.name = hooks->name ? hooks->name : cw_next.name;
#include "../door/api.inc"
    hooks->clCreateProgramWithSource = hook_clCreateProgramWithSource;
    hooks->clCreateProgramWithIL = hook_clCreateProgramWithIL;
    hooks->clCreateProgramWithBinary = hook_clCreateProgramWithBinary;
    hooks->clBuildProgram = hook_clBuildProgram;
    hooks->clCompileProgram = hook_clCompileProgram;
}
