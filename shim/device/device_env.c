#include "device_env.h"

#include <dirent.h>
#include <sched.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/settings/device_list.h"
#include "../door/door.h"
#include "../door/thread.h"

#define VARIABLE "POCL_DEVICES"
#define HIDDEN   "CLWV"
#define SHOWN    "POCL"
#define MARK     "  " /* at the end of our value */

static union {
    uint32_t word; /* the four bytes that change */
    char text[sizeof VARIABLE + 2 * CW_HELPERS_MAX * sizeof "basic" + sizeof "pthread" MARK];
} variable;
static enum cw_device_env state;
static unsigned basics;
static bool shown; /* PoCL may have read it */

enum cw_device_env cw_device_env_state(void)
{
    return state;
}

unsigned cw_device_env_basics(void)
{
    return basics;
}

/* The value behind the name: `n` words, then blanks where there were more. */
static void write_value(unsigned n)
{
    char *to = variable.text + sizeof VARIABLE;

    for (unsigned i = 0; i < basics; i++)
        to = mempcpy(to, i < n ? "basic " : "      ", strlen("basic "));
    strcpy(to, "pthread" MARK);
}

static void store(const char name[4])
{
    uint32_t word;

    memcpy(&word, name, sizeof word);
    if (state == CW_DEVICE_ENV_OURS)
        __atomic_store_n(&variable.word, word, __ATOMIC_SEQ_CST);
}

void cw_device_env_forget(void)
{
    if (shown)
        return;
    if (state == CW_DEVICE_ENV_OURS)
        state = CW_DEVICE_ENV_NONE; /* the variable stays, hidden: others may be reading the environment */
    basics = 0;
}

void cw_device_env_limit(unsigned most)
{
    if (shown || basics <= most)
        return;
    if (state == CW_DEVICE_ENV_OURS)
        write_value(most);
    basics = most;
}

void cw_device_env_show(void)
{
    shown = true;
    store(SHOWN);
}

void cw_device_env_hide(void)
{
    store(HIDDEN);
}

/* A value that was shown when this process was started is not the user's. */
static bool is_ours(const char *value)
{
    size_t n = strlen(value);

    return n >= sizeof MARK && !strcmp(value + n - strlen(MARK), MARK);
}

unsigned cw_device_env_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);

    return n < 1 ? 1 : n > CW_HELPERS_MAX ? CW_HELPERS_MAX : (unsigned)n;
}

/* `basic` devices that the settings ask for; impossible settings count as none, as they stop the mode
 * (device.c). */
static unsigned wanted(void)
{
    const char *devices = secure_getenv("CLWEAVE_DEVICES"), *dsp = secure_getenv("CLWEAVE_DSP"),
               *dsp_clock = secure_getenv("CLWEAVE_DSP_CLOCK");
    long n_dsp = dsp ? strtol(dsp, NULL, 10) : 0;
    struct cw_device_list list;
    struct cw_error err = {0};
    unsigned n;

    if (cw_device_list_parse(devices ? devices : "", &list, &err))
        return 0;
    n = list.given                                                ? list.basic
        : n_dsp > 0 && dsp_clock && !strcmp(dsp_clock, "virtual") ? 0 /* the board's own devices alone */
                                                                  : CW_HELPERS_ALL;
    if (n == CW_HELPERS_ALL)
        n = cw_device_env_processors();
    n += list.far == CW_HELPERS_ALL ? cw_device_env_processors() : list.far;
    n = n < CW_HELPERS_MAX ? n : CW_HELPERS_MAX;
    if (cw_limited())
        n = 0; /* PoCL keeps 16 MiB for each; the program may see that DSPs are there, so they stay */
    return n + (n_dsp > 0 && n_dsp <= CW_HELPERS_MAX ? (unsigned)n_dsp : 0);
}

static bool one_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;

    while (tasks && readdir(tasks))
        n++;
    if (tasks)
        closedir(tasks);
    return n == 3; /* ".", "..", and the thread */
}

__attribute__((constructor)) static void prepare(void)
{
    const char *mode = secure_getenv("CLWEAVE_MODE"), *users;
    int saved = errno;

    if (!mode || strcmp(mode, "run") != 0 || !(basics = wanted()))
        goto out;
    users = getenv(VARIABLE);
    if (users && !is_ours(users)) {
        state = CW_DEVICE_ENV_USERS;
        goto out;
    }
    if (!cw_layer_preloaded() && !one_thread()) {
        state = CW_DEVICE_ENV_LATE;
        goto out;
    }
    if (users)
        unsetenv(VARIABLE);
    strcpy(variable.text, HIDDEN);
    strcat(variable.text, &VARIABLE[strlen(HIDDEN)]);
    strcat(variable.text, "=");
    write_value(basics);
    if (putenv(variable.text) == 0)
        state = CW_DEVICE_ENV_OURS;
out:
    errno = saved;
}
