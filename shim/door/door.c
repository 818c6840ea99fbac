#include "door.h"
#include "thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/settings/options.h"
#include "lock_order.h"
#include "log.h"

struct cw_dispatch cw_next;
__thread unsigned cw_door_depth;
__thread unsigned cw_door_callback;

static struct cw_dispatch entries; /* functions that the doors call; NULL: not hooked */
static struct cw_options options;
/* The mode whose start() succeeded. Stored last and loaded first, so that a thread that sees it sees
 * cw_next and all that start() has set up, even through a loader that orders nothing between its threads. */
static const struct cw_mode *running;
static bool is_open;

const char *cw_door_api_name(enum cw_api_id id)
{
    static const char *const names[] = {
#define CW_API(ret, name, since, fail, handle, params, args) #name,
#include "api.inc"
#define CW_EXT(ret, name, since, fail, handle, params, args) #name,
#include "api.inc"
    };
    return (size_t)id < CW_ID_COUNT ? names[id] : "unknown";
}

const struct cw_mode *cw_door_mode(void)
{
    static const struct cw_mode *const modes[] = {&cw_mode_off, &cw_mode_trace, &cw_mode_run, NULL};
    const char *name = secure_getenv("CLWEAVE_MODE");
    for (const struct cw_mode *const *m = modes; name && *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return &cw_mode_off;
}

bool cw_door_wanted(void)
{
    const struct cw_mode *mode = cw_door_mode();
    return mode->hooks || mode->ext_hooks;
}

static const struct cw_mode *running_mode(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

/* ---- entries: a hook with the depth guard around it */

#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret enter_##name params                                                                           \
    {                                                                                                        \
        if (CW_UNLIKELY(cw_door_depth) && !cw_nested_by_application(__builtin_return_address(0)))            \
            return cw_next.name args;                                                                        \
        CW_DOOR_ENTER;                                                                                       \
        return running_mode()->hooks->name args;                                                             \
    }
#include "api.inc"

static void fill_entries(const struct cw_mode *mode)
{
    if (mode->hooks) {
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    entries.name = mode->hooks->name ? enter_##name : NULL;
#include "api.inc"
#include "dispatch.h"
    }
    entries.clGetExtensionFunctionAddress = cw_extension_address;
    entries.clGetExtensionFunctionAddressForPlatform = cw_extension_address_for_platform;
}

/* ---- opening */

static void log_settings(const char *mode)
{
    char text[512];
    if (cw_options_describe(&options, text, sizeof text))
        cw_log_info("mode %s; not default: %s", mode, text);
}

/* The program may unload its OpenCL library while commands are under way, of which the vendor's threads know
 * nothing, but ours do: it stays. */
static void keep_library(void)
{
    const void *const *function = (const void *const *)&cw_next.clGetPlatformIDs;
    Dl_info info;

    if (dladdr(*function, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Starts the mode; on failure, which has been logged, nothing is hooked. */
static void start_mode(void *unused)
{
    struct cw_error err = {0};
    const struct cw_mode *mode = cw_door_mode();
    if (cw_options_init(&options, &err) || cw_options_from_environment(&options, &err)) {
        cw_log_error("%s; passing every call through unchanged", err.text);
        return;
    }
    (void)unused;
    log_settings(mode->name);
    if (!mode->hooks && !mode->ext_hooks)
        return;
    if (mode->start && !mode->start(&options))
        return;
    keep_library();
    fill_entries(mode);
    __atomic_store_n(&running, mode, __ATOMIC_RELEASE);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, DOOR)

const struct cw_dispatch *cw_door_open(const struct cw_dispatch *next)
{
    int saved = errno;
    pthread_mutex_lock(&lock);
    if (!is_open) {
        cw_next = *next;
        cw_lock_order_watch(&cw_next);
        cw_roomy(start_mode, NULL);
        is_open = true;
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return &entries;
}

const struct cw_dispatch *cw_door_entries(void)
{
    return &entries;
}

const struct cw_ext_hooks *cw_door_hooks_ext(void)
{
    const struct cw_mode *mode = running_mode();
    return mode ? mode->ext_hooks : NULL;
}

void *cw_door_unseen(const char *name, void *vendor)
{
    const struct cw_mode *mode = running_mode();

    return mode && mode->unseen ? mode->unseen(name, vendor) : vendor;
}

__attribute__((destructor)) static void stop_mode(void)
{
    const struct cw_mode *mode = running_mode();
    if (mode && mode->stop)
        mode->stop();
}

/* Nothing is hooked: every call goes straight on. */
const struct cw_mode cw_mode_off = {.name = "off"};
