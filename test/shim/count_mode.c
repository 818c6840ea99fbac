/* count_mode.c - a mode trace for tests of the doors: hooks every function and writes a line per hooked call
 * to COUNT_LOG, in the null driver's format. */
#include "../../shim/door/dispatch.h"
#include "../stub/map.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int fd = -1;

static void count_call(const char *name, const uint64_t *args, size_t n)
{
    char line[512];
    int used = snprintf(line, sizeof line, "%s", name);
    for (size_t i = 0; i < n; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %llx", (unsigned long long)args[i]);
    line[used++] = '\n';
    if (write(fd, line, (size_t)used) != used)
        abort();
}

#define WORD(x) , (uint64_t)(uintptr_t)(x)
#define COUNT(name, ...)                                                                                     \
    do {                                                                                                     \
        const uint64_t words[] = {0 MAP(WORD, __VA_ARGS__)};                                                 \
        count_call(name, words + 1, sizeof words / sizeof *words - 1);                                       \
    } while (0)

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret hook_##name params                                                                            \
    {                                                                                                        \
        COUNT(#name, CW_UNPAREN args);                                                                       \
        return cw_next.name args;                                                                            \
    }
#define CW_EXT(ret, name, since, fail, handle, params, args)                                                 \
    static ret hook_##name(__typeof__(&name) next, CW_UNPAREN params)                                        \
    {                                                                                                        \
        COUNT(#name, CW_UNPAREN args);                                                                       \
        return next args;                                                                                    \
    }
#include "../../shim/door/api.inc"

static const struct cw_dispatch hooks = {
#define CW_API(ret, name, since, fail, handle, params, args) .name = hook_##name,
#include "../../shim/door/api.inc"
};
static const struct cw_ext_hooks ext_hooks = {
#define CW_EXT(ret, name, since, fail, handle, params, args) .name = hook_##name,
#include "../../shim/door/api.inc"
};

static bool start(const struct cw_options *options)
{
    (void)options;
    const char *path = getenv("COUNT_LOG");
    fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    return fd >= 0;
}

const struct cw_mode cw_mode_trace = {
    .name = "trace", .hooks = &hooks, .ext_hooks = &ext_hooks, .start = start};
const struct cw_mode cw_mode_run = {.name = "run"};
