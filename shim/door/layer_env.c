/* layer_env.c - being preloaded is not enough for programs that dlopen libOpenCL: the loader must take us in
 * as a layer. So the constructor appends this library to OPENCL_LAYERS, for this process and its children. */
#include "door.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "OPENCL_LAYERS"

static const char *file_name(const char *path, size_t n)
{
    for (size_t i = n; i > 0; i--)
        if (path[i - 1] == '/')
            return path + i;
    return path;
}

/* Path of this library as the dynamic linker knows it; NULL if it does not. */
static const char *self_path(void)
{
    Dl_info self;
    return dladdr((const void *)cw_layer_env_repair, &self) && self.dli_fname && *self.dli_fname
               ? self.dli_fname
               : NULL;
}

/* Whether the list element [element, element+n) is this library. Its file name decides: a second copy of the
 * library in one process would hook every call twice. */
static bool is_self(const char *element, size_t n)
{
    const char *path = self_path();
    if (!path || !n)
        return false;
    const char *own = file_name(path, strlen(path)), *other = file_name(element, n);
    size_t length = (size_t)(element + n - other);
    return length == strlen(own) && !memcmp(own, other, length);
}

static bool list_has_self(const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ":");
        if (is_self(list, n))
            return true;
        list += n + (list[n] == ':');
    }
    return false;
}

void cw_layer_env_repair(void)
{
    char *list = getenv(VARIABLE);
    if (!list || list_has_self(list))
        return;
    /* The rest of the cut string lies behind the NUL. Take it for that only if it leads to our own name:
     * further on lies memory of others, where names of variables have a '='. */
    char *end = list + strlen(list);
    for (int cuts = 1; cuts <= 64; cuts++) {
        size_t n = 0;
        while (end[1 + n] && end[1 + n] != ':' && end[1 + n] != '=' && n < PATH_MAX)
            n++;
        if (end[1 + n] == '=' || n == 0 || n == PATH_MAX)
            return;
        end += 1 + n;
        if (!is_self(end - n, n))
            continue;
        for (char *c = list; c < end; c++)
            if (!*c)
                *c = ':';
        return;
    }
}

/* Preloaded, as opposed to loaded as a layer: by then the loader is cutting the variable, and other threads
 * may run. */
bool cw_layer_preloaded(void)
{
    /* not RTLD_DEFAULT: that looks into the caller too */
    void *program = dlopen(NULL, RTLD_LAZY);
    const void *f = program ? dlsym(program, "clInitLayer") : NULL;
    return f && cw_loader_is_self(f);
}

/* Only when a hooking mode is asked for; a process without OpenCL pays for one getenv and, in such a mode,
 * one setenv. */
__attribute__((constructor)) static void announce(void)
{
    int saved = errno;
    char path[PATH_MAX], *list = NULL;
    const char *self = cw_door_wanted() && cw_layer_preloaded() ? self_path() : NULL,
               *before = getenv(VARIABLE);
    if (!self || (before && list_has_self(before)))
        goto out;
    /* relative when LD_PRELOAD was: children may run elsewhere */
    if (self[0] != '/')
        self = realpath(self, path);
    if (self && asprintf(&list, "%s%s%s", before ? before : "", before && *before ? ":" : "", self) > 0)
        setenv(VARIABLE, list, 1);
    free(list);
out:
    errno = saved;
}
