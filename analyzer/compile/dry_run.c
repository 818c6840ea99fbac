/* dry_run.c - see answer.h. */
#include "answer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

typedef void *open_function(const char *, int);
typedef void *symbol_function(void *, const char *);

static struct {
    pthread_mutex_t lock;
    const char *kernel; /* NULL: no dry run */
    void *handle;
    bool found;
    char module[4096];
} dry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* libc's own: a symbol's version is its only name that this program has not. */
static void *libcs(const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
                                           "GLIBC_2.27", "GLIBC_2.0",   NULL};
    void *found = NULL;

    for (const char *const *v = versions; !found && *v; v++)
        found = dlvsym(RTLD_NEXT, name, *v);
    return found;
}

/* "..../KERNEL.so" */
static bool is_module(const char *path)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    size_t n = dry.kernel ? strlen(dry.kernel) : 0;

    return dry.kernel && name && !strncmp(name + 1, dry.kernel, n) && !strcmp(name + 1 + n, ".so");
}

/* "_pocl_kernel_KERNEL_workgroup", or without the first sign */
static bool is_kernel(const char *name)
{
    static const char head[] = "pocl_kernel_";
    size_t n = dry.kernel ? strlen(dry.kernel) : 0;

    name += *name == '_';
    return dry.kernel && !strncmp(name, head, sizeof head - 1) &&
           !strncmp(name + sizeof head - 1, dry.kernel, n) &&
           !strcmp(name + sizeof head - 1 + n, "_workgroup");
}

static void nothing(void)
{
}

SHOWN void *dlopen(const char *path, int flags)
{
    static open_function *next;
    void *handle;

    if (!next) {
        void *found = libcs("dlopen");
        memcpy(&next, &found, sizeof next);
    }
    pthread_mutex_lock(&dry.lock);
    if (!is_module(path)) {
        pthread_mutex_unlock(&dry.lock);
        return next(path, flags); /* a jump: libc looks at its caller */
    }
    handle = next(path, flags);
    if (handle) {
        dry.handle = handle;
        snprintf(dry.module, sizeof dry.module, "%s", path);
    }
    pthread_mutex_unlock(&dry.lock);
    return handle;
}

SHOWN void *dlsym(void *handle, const char *name)
{
    static symbol_function *next;
    void (*none)(void) = nothing;
    void *found;

    if (!next) {
        found = libcs("dlsym");
        memcpy(&next, &found, sizeof next);
    }
    pthread_mutex_lock(&dry.lock);
    if (!dry.kernel || handle != dry.handle || !is_kernel(name)) {
        pthread_mutex_unlock(&dry.lock);
        return next(handle, name); /* a jump */
    }
    found = next(handle, name);
    if (found) {
        dry.found = true;
        memcpy(&found, &none, sizeof found);
    }
    pthread_mutex_unlock(&dry.lock);
    return found;
}

void cw_dry_run_begin(const char *kernel)
{
    pthread_mutex_lock(&dry.lock);
    dry.kernel = kernel;
    dry.handle = NULL;
    dry.found = false;
    dry.module[0] = '\0';
    pthread_mutex_unlock(&dry.lock);
}

bool cw_dry_run_end(char *module, unsigned size)
{
    bool found;

    pthread_mutex_lock(&dry.lock);
    found = dry.found && (unsigned)snprintf(module, size, "%s", dry.module) < size;
    dry.kernel = NULL;
    pthread_mutex_unlock(&dry.lock);
    return found;
}
