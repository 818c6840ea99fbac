/* isolated_compiler.c - see builds/isolated_compiler.h. */
#include "isolated_compiler.h"
#include "../door/lock_order.h"
#include "later_builds.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../analyzer/io/file_store.h"
#include "../../analyzer/io/quiet_child.h"
#include "../../analyzer/compile/compile_client.h"
#include "../../analyzer/kernels/source/vendor_compiler.h"
#include "../door/clock.h"
#include "../door/door.h"
#include "../door/dynamic_loader.h"
#include "../door/log.h"
#include "../door/thread.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define FIRST_FILE 3 /* sanitizers report to 2 */
#else
#define FIRST_FILE 0
#endif

#define OLD_KERNEL_FILES 65536 /* closed one by one where close_range does not exist */
#define DEVICE_TEXT      1400
#define LONGEST_NS       UINT64_C(60000000000) /* as in run/code/pending_launches.c */
#define LOOK_NS          1000000

/* ---- a thread with descriptors of its own */

struct isolated {
    struct cw_loader_work load;
    void (*body)(void *);
    void (*release)(void *); /* frees `data` */
    void *data;
    bool shares; /* the program's descriptors */
    bool done;
    double ns; /* it took of the thread */
};

static bool have_own_files(void)
{
#ifdef __SANITIZE_THREAD__ /* takes files of one number in two tables for one */
    return true;
#else
    if (syscall(SYS_close_range, FIRST_FILE, ~0u, CLOSE_RANGE_UNSHARE) != 0) {
        if (unshare(CLONE_FILES) != 0)
            return false;
        for (int fd = FIRST_FILE; fd < OLD_KERNEL_FILES; fd++)
            close(fd);
    }
    for (int fd = FIRST_FILE; fd <= STDERR_FILENO; fd++)
        if (open("/dev/null", O_RDWR) != fd)
            break; /* a write there gets an error */
    return true;
#endif
}

/* True: the process does not end, and there is room for a compiler in this thread. */
static bool may_begin(const struct isolated *a)
{
    return (a->shares || have_own_files() || cw_compiler_resources_suffice()) && cw_pending_builds_begin();
}

static atomic_uint at_work; /* threads that have had the loader's lock */

static void *work(void *data)
{
    struct isolated *a = data;
    bool begun, passed;

    cw_door_depth = 1; /* calls that come in here are the vendor's */
    passed = cw_dynamic_loader_pass(&a->load);
    atomic_fetch_add(&at_work, 1); /* first: the end of the process sees it, or it sees the end */
    begun = passed && may_begin(a);
    if (begun) {
        a->body(a->data);
        a->done = true;
    }
    a->ns = cw_thread_cpu_ns();
    if (!cw_dynamic_loader_ends(&a->load)) {
        begun = begun || cw_pending_builds_begin();
        if (begun) /* else the process ends, and `data` may be the vendor's */
            a->release(a->data);
        free(a);
    }
    if (begun)
        cw_pending_builds_end();
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

void cw_isolated_compiler_stop(void)
{
    uint64_t until = cw_now_ns() + LONGEST_NS;

    cw_pending_builds_forbid();
    while (atomic_load(&at_work) && !cw_dynamic_loader_is_here() && cw_now_ns() < until)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

/* PoCL's drivers for the host's processors keep no descriptors between calls; others may, and valgrind has
 * its own in the table. */
static bool is_parted(cl_device_id device)
{
    static const char *const drivers[] = {"pthread", "basic", "cpu"}; /* cpu, cpu-minimal: since PoCL 4 */
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char name[256] = "";
    bool known = false;

    cw_next.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        known |= !strncmp(name, drivers[i], strlen(drivers[i]));
    return known && cw_vendor_is_pocl(&calls, device) && !cw_quiet_child_is_valgrind();
}

/* False: its thread could not begin, or has been left to itself with `a`. */
static bool is_through(struct isolated *a)
{
    pthread_t thread;

    cw_dynamic_loader_begin(&a->load);
    if (!cw_thread_to_compile(&thread, work, a)) {
        a->load.over = true;
        cw_dynamic_loader_await(&a->load);
        return true;
    }
    if (!cw_dynamic_loader_await(&a->load)) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    cw_thread_cpu_adds(a->ns);
    return true;
}

bool cw_isolated_compiler_call(cl_device_id device, void (*body)(void *), void *data, void (*release)(void *))
{
    struct isolated *a = malloc(sizeof *a);
    bool parted = is_parted(device), done = false;

    if (a && !cw_dynamic_loader_is_here() &&
        (parted ? cw_compiler_resources_isolated() : cw_compiler_resources_suffice())) {
        *a = (struct isolated){.body = body, .data = data, .release = release, .shares = !parted};
        if (!is_through(a))
            return false;
        done = a->done;
    }
    free(a);
    if (!done)
        release(data);
    return done;
}

static void nothing(void *unused)
{
    (void)unused;
}

bool cw_isolated_compiler_may_load(cl_device_id device)
{
    return cw_isolated_compiler_call(device, nothing, NULL, nothing);
}

struct files {
    void (*body)(void *);
    void *data;
};

static void *use_files(void *data)
{
    const struct files *f = data;

    cw_door_depth = 1;
    have_own_files();
    f->body(f->data);
    return NULL;
}

void cw_isolated_compiler_files(void (*body)(void *), void *data)
{
    struct files f = {body, data};
    pthread_t thread;

    if (!cw_quiet_child_is_valgrind() && !cw_dynamic_loader_is_here() &&
        cw_thread_try(&thread, use_files, &f))
        pthread_join(thread, NULL);
    else
        body(data);
}

/* ---- kernels */

static bool may_be_asked(cl_device_id device)
{
    return cw_compile_client_is_there() && is_parted(device);
}

/* The vendor would run its compiler and its linker here. */
static bool may_compile_here(void)
{
    return !cw_compile_client_has_failed() && cw_compiler_resources_suffice();
}

bool cw_isolated_compiler_space(cl_device_id device)
{
    return may_be_asked(device) ? cw_compiler_resources_isolated() : may_compile_here();
}

uint32_t cw_isolated_compiler_units(cl_device_id device)
{
    cl_device_id parent = NULL;
    cl_uint units = 0;

    if (cw_next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) ==
            CL_SUCCESS &&
        parent)
        cw_next.clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    return units;
}

/* ---- code of earlier runs: the file that holds the vendor's code for a launch */

#define KIND "compiled 2"

static struct cw_file_store compiled;

void cw_isolated_compiler_start(const char *folder)
{
    cw_file_store_init(&compiled, folder);
}

/* The inputs of a launch's code. */
struct need {
    struct cw_identity program; /* device, places, source, options */
    struct cw_identity launch;  /* kernel and range */
};

/* Whether PoCL has the same code for all such ranges as for others of them: pocl_cache.c,
 * pocl_cache_kernel_cachedir_path() of 3.1. */
static bool is_small(const struct cw_compile_range *r)
{
    uint64_t deep = r->dims > 2 ? r->local[2] * r->local[2] : 0;

    return r->global[0] < USHRT_MAX && (r->dims < 2 || r->global[1] < USHRT_MAX) && deep < USHRT_MAX;
}

/* As far as PoCL distinguishes launches: local sizes, whether there is an offset, how wide the range is;
 * without a local size all of the range, by which it chooses one. And where it keeps the code. *need is the
 * caller's to finish. */
static void name_need(struct need *need, const struct cw_compile_question *q)
{
    static const char *const places[] = {"POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    const struct cw_compile_range *r = &q->range;
    uint8_t form[] = {r->has_local, r->offset[0] || r->offset[1] || r->offset[2], is_small(r)};

    cw_run_helper_cache_identity(&need->program, KIND, q->device);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        cw_identity_text(&need->program, getenv(places[i]));
    cw_identity_number(&need->program, q->units);
    cw_identity_text(&need->program, q->options);
    cw_identity_text(&need->program, q->source);
    cw_identity_begin(&need->launch, q->kernel);
    cw_identity_add(&need->launch, form, sizeof form);
    cw_identity_add(&need->launch, r->has_local ? r->local : r->global, sizeof r->local);
}

static void finish_need(struct need *need)
{
    cw_identity_finish(&need->program);
    cw_identity_finish(&need->launch);
}

struct memory {
    struct cw_identity id;
    char *module; /* that is new; NULL: is one known? */
    bool loaded;
    bool refused; /* its file is there, and cannot be loaded */
};

static void forget(void *memory)
{
    struct memory *m = memory;

    cw_identity_finish(&m->id);
    free(m->module);
    free(m);
}

/* A file that only this user, or the system's, can have written. PoCL makes files by the user's umask, which
 * may leave them open to the user's own group. */
static bool is_trusted(const char *module)
{
    struct stat st;

    return module && *module == '/' && lstat(module, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & S_IWOTH) &&
           (!(st.st_mode & S_IWGRP) || st.st_gid == getegid());
}

/* Loads it, and notes it. When the vendor loads the file of this name it is there already, and nothing is
 * opened in the program's table of descriptors. It stays loaded, as the vendor's modules do. Apart. */
static void load(void *memory)
{
    struct memory *m = memory;
    size_t bytes = 0;
    char *known = m->module ? NULL : cw_file_store_read(&compiled, &m->id, &bytes);
    const char *module = m->module ? m->module : known;

    m->loaded = is_trusted(module) && dlopen(module, RTLD_NOW | RTLD_LOCAL);
    m->refused = is_trusted(module) && !m->loaded && access(module, R_OK) == 0;
    if (m->loaded && m->module)
        cw_file_store_write(&compiled, &m->id, module, strlen(module) + 1);
    free(known);
}

/* Programs that this process has loaded, and launches of them, which begin with their program's number. */
static struct {
    pthread_mutex_t lock;
    struct cw_identity_set programs, launches;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER};
CW_LOCK_RANK(&here.lock, LOADED)

/* Of a launch of program number `program`; the caller's to finish. */
static struct cw_identity loaded_launch(uint32_t program, const struct need *need)
{
    struct cw_identity id;

    cw_identity_begin(&id, "loaded");
    cw_identity_number(&id, program);
    cw_identity_add(&id, need->launch.bytes, need->launch.length);
    id.failed |= need->launch.failed;
    return id;
}

static bool is_here(const struct need *need)
{
    bool found = false;
    uint32_t program;

    pthread_mutex_lock(&here.lock);
    program = cw_identity_set_find(&here.programs, &need->program);
    if (program != CW_IDENTITY_NONE) {
        struct cw_identity id = loaded_launch(program, need);

        found = cw_identity_set_find(&here.launches, &id) != CW_IDENTITY_NONE;
        cw_identity_finish(&id);
    }
    pthread_mutex_unlock(&here.lock);
    return found;
}

static void note(const struct need *need)
{
    uint32_t program;

    pthread_mutex_lock(&here.lock);
    program = cw_identity_set_add(&here.programs, &need->program);
    if (program != CW_IDENTITY_NONE) {
        struct cw_identity id = loaded_launch(program, need);

        cw_identity_set_add(&here.launches, &id);
        cw_identity_finish(&id);
    }
    pthread_mutex_unlock(&here.lock);
}

/* The identity under which the file of a launch's code is kept; the caller's to finish. */
static struct cw_identity name_module(const struct need *need)
{
    struct cw_identity id;

    cw_identity_begin(&id, KIND);
    cw_identity_add(&id, need->program.bytes, need->program.length);
    cw_identity_add(&id, need->launch.bytes, need->launch.length);
    id.failed |= need->program.failed || need->launch.failed;
    return id;
}

/* Whether the file of `module`, or the one that is known for it, is loaded now. UNASKED: there is none. BAD:
 * it cannot be loaded, and made again it would be the same. */
static enum cw_compile_answer load_isolated(cl_device_id device, const struct need *need, const char *module)
{
    struct memory *m = malloc(sizeof *m);
    enum cw_compile_answer answer;

    if (!m)
        return CW_COMPILE_BAD;
    *m = (struct memory){.module = module ? strdup(module) : NULL, .id = name_module(need)};
    if (!cw_isolated_compiler_call(device, load, m, forget))
        return CW_COMPILE_UNASKED;
    answer = m->loaded ? CW_COMPILE_GOOD : m->refused ? CW_COMPILE_BAD : CW_COMPILE_UNASKED;
    if (m->loaded)
        note(need);
    forget(m);
    return answer;
}

/* Asks the compiler, unless the code is known. */
static enum cw_compile_answer have(cl_device_id device, const struct cw_compile_question *q,
                                   const struct need *need)
{
    char module[CW_COMPILE_MODULE];
    enum cw_compile_answer answer =
        *q->kernel && *compiled.folder ? load_isolated(device, need, NULL) : CW_COMPILE_UNASKED;
    uint64_t begin;

    if (answer != CW_COMPILE_UNASKED)
        return answer;
    begin = cw_now_ns();
    answer = cw_compile_client_ask(q, module);
    cw_thread_cpu_adds((double)(int64_t)(cw_now_ns() - begin)); /* hardly more than it has worked */
    if (answer == CW_COMPILE_GOOD && *q->kernel && load_isolated(device, need, module) != CW_COMPILE_GOOD)
        answer = CW_COMPILE_BAD;
    return answer;
}

/* `may_load`: something may be compiled or loaded. A filter of system calls is its thread's own: one thread
 * may compile the code that another one launches. */
static enum cw_compile_answer ask(cl_device_id device, const struct cw_run_recipe *program,
                                  const char *kernel, const struct cw_compile_range *r,
                                  const struct cw_compile_arg *arg, uint32_t args, bool may_load)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char text[DEVICE_TEXT];
    const struct cw_compile_question q = {.device = text,
                                          .units = cw_isolated_compiler_units(device),
                                          .source = program->source,
                                          .options = program->options,
                                          .only_build = !kernel,
                                          .kernel = kernel ? kernel : "",
                                          .range = *r,
                                          .args = args,
                                          .arg = arg};
    bool loads = kernel && *kernel;
    enum cw_compile_answer answer;
    struct need need;

    if (!cw_vendor_describe_driver(&calls, device, text, sizeof text))
        return CW_COMPILE_UNASKED;
    name_need(&need, &q);
    if (loads && is_here(&need)) /* the vendor may load it once more */
        answer = CW_COMPILE_GOOD;
    else
        answer = may_load ? have(device, &q, &need) : CW_COMPILE_BAD;
    finish_need(&need);
    return answer;
}

cl_int cw_isolated_compiler_ahead_of(cl_device_id device, const struct cw_run_recipe *program,
                                     const char *kernel, const struct cw_compile_range *r,
                                     const struct cw_compile_arg *arg, uint32_t args)
{
    enum cw_compile_answer answer = CW_COMPILE_UNASKED;

    if (may_be_asked(device))
        answer = ask(device, program, kernel, r, arg, args, cw_compiler_resources_isolated());
    else if (cw_compile_client_has_stopped())
        answer = CW_COMPILE_BAD; /* the process ends: no thread waits for a compiler */
    if (answer == CW_COMPILE_BAD)
        cw_log_debug("kernel %s was not compiled beside the program", !kernel   ? "(none)"
                                                                      : *kernel ? kernel
                                                                                : "(all)");
    return answer == CW_COMPILE_GOOD || (answer == CW_COMPILE_UNASKED && may_compile_here())
               ? CL_SUCCESS
               : CL_OUT_OF_RESOURCES;
}

static bool ask_builder(const struct cw_compile_question *q, const struct need *need)
{
    struct cw_request request = {.kind = CW_REQUEST_LAUNCH,
                                 .device = q->device,
                                 .units = q->units,
                                 .source = q->source,
                                 .options = q->options,
                                 .kernel = q->kernel,
                                 .range = q->range,
                                 .args = q->args,
                                 .arg = q->arg,
                                 .result = name_module(need)};
    bool good = cw_later_builds_ask(&request);

    cw_identity_finish(&request.result);
    return good;
}

bool cw_isolated_compiler_knows_of(cl_device_id device, const struct cw_run_recipe *program,
                                   const char *kernel, const struct cw_compile_range *r,
                                   const struct cw_compile_arg *arg, uint32_t args)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS(cw_next.);
    char text[DEVICE_TEXT];
    const struct cw_compile_question q = {.device = text,
                                          .units = cw_isolated_compiler_units(device),
                                          .source = program->source,
                                          .options = program->options,
                                          .kernel = kernel,
                                          .range = *r,
                                          .args = args,
                                          .arg = arg};
    bool known = true;
    struct need need;

    if (*compiled.folder && is_parted(device) && cw_compile_client_was_there() &&
        cw_compiler_resources_isolated() && cw_vendor_describe_driver(&calls, device, text, sizeof text)) {
        name_need(&need, &q);
        known = is_here(&need) || load_isolated(device, &need, NULL) != CW_COMPILE_UNASKED ||
                !ask_builder(&q, &need);
        finish_need(&need);
    }
    return known;
}

cl_int cw_isolated_compiler_build_ahead(cl_device_id device, const struct cw_run_recipe *program)
{
    const struct cw_compile_range r = {.dims = 1, .global = {1}};

    return cw_isolated_compiler_ahead_of(device, program, NULL, &r, NULL, 0);
}
