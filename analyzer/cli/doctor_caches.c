/* doctor_caches.c - folders that keep results between runs: clweave's and PoCL's. */
#include "doctor.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../io/quantity.h"
#include "cache_files.h"

#define SECTION    "caches"
#define LEAST_FREE (300ull << 20) /* the largest store has CW_FILE_STORE_BYTES */

static const char *owner_of(const struct stat *st, char text[64])
{
    struct passwd *p = getpwuid(st->st_uid);

    if (p)
        snprintf(text, 64, "%s", p->pw_name);
    else
        snprintf(text, 64, "user %u", (unsigned)st->st_uid);
    return text;
}

/* Facts about a folder, and the problems that it may have. `loses`: what follows from them. */
static void add_folder(struct cw_doctor *d, const char *name, const char *path, const char *loses)
{
    char owner[64], free_text[16];
    struct statvfs disk = {0};
    struct stat st;
    uint64_t left;
    bool writable = access(path, W_OK | X_OK) == 0;
    int error = errno;

    if (stat(path, &st) != 0 || statvfs(path, &disk) != 0) {
        cw_doctor_problem(d, "export XDG_CACHE_HOME=$(mktemp -d)", "%s: %s: %s", path, strerror(errno),
                          loses);
        return;
    }
    left = (uint64_t)disk.f_bavail * disk.f_frsize;
    cw_doctor_fact(d, SECTION, name, "%s (of %s, mode %03o, %s, %s free)", path, owner_of(&st, owner),
                   (unsigned)st.st_mode & 07777, writable ? "writable" : "not writable",
                   cw_quantity_bytes(left, free_text));
    if (!writable)
        cw_doctor_problem(d, "export XDG_CACHE_HOME=$(mktemp -d)", "%s cannot be written to (%s): %s", path,
                          strerror(error), loses);
    else if (left < LEAST_FREE)
        cw_doctor_problem(d, "clweave cache clear", "%s has only %s left: %s", path, free_text, loses);
}

/* PoCL's folder of compiled kernels, as PoCL finds it; made by its first build. */
static void add_pocl(struct cw_doctor *d)
{
    const char *given = getenv("POCL_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *loses = "PoCL compiles every kernel anew in every run";
    char path[PATH_MAX];

    if (given && *given)
        snprintf(path, sizeof path, "%s", given);
    else if (xdg && *xdg)
        snprintf(path, sizeof path, "%s/pocl/kcache", xdg);
    else if (home && *home)
        snprintf(path, sizeof path, "%s/.cache/pocl/kcache", home);
    else
        snprintf(path, sizeof path, "/tmp");
    if (access(path, F_OK) == 0)
        add_folder(d, "PoCL", path, loses);
    else
        cw_doctor_fact(d, SECTION, "PoCL", "%s (not there yet)", path);
    if (getenv("POCL_KERNEL_CACHE") && strcmp(getenv("POCL_KERNEL_CACHE"), "0") == 0)
        cw_doctor_problem(d, "unset POCL_KERNEL_CACHE", "POCL_KERNEL_CACHE is 0: %s", loses);
}

/* run keeps nothing in a folder to which others may write, or in a store that others may enter. */
static void look_at_mode(struct cw_doctor *d, const char *path, mode_t others, const char *holds)
{
    char mend[PATH_MAX + sizeof "chmod 700 "];
    struct stat st;

    if (stat(path, &st) != 0 || !(st.st_mode & others))
        return;
    snprintf(mend, sizeof mend, "chmod 700 %s", path);
    cw_doctor_problem(d, mend, "%s has mode %03o, so run keeps nothing in it: %s", path,
                      (unsigned)st.st_mode & 07777, holds);
}

static void look_at_modes(struct cw_doctor *d, const struct cw_cache_files *c, const char *loses)
{
    char path[PATH_MAX];

    look_at_mode(d, c->folder, 022, loses);
    for (const struct cw_cache_store *s = cw_cache_stores; s->folder; s++)
        if (cw_cache_files_path(c, s->folder, path))
            look_at_mode(d, path, 077, s->holds);
}

void cw_doctor_caches(struct cw_doctor *d)
{
    const char *loses = "run remembers nothing, so it neither learns nor builds for later runs";
    static struct cw_cache_files c; /* large */
    struct cw_error err = {0};

    if (cw_cache_files_find(&c, NULL, &err) == CW_OK) {
        struct cw_cache_requests r = cw_cache_files_requests(&c);

        add_folder(d, "clweave", c.folder, loses);
        look_at_modes(d, &c, loses);
        cw_doctor_fact(d, SECTION, "builder", "%s, %u request%s waiting", r.at_work ? "at work" : "idle",
                       r.waiting, r.waiting == 1 ? "" : "s");
    } else if (err.status == CW_ERR_NOTFOUND && getenv("CLWEAVE_HISTORY") && *getenv("CLWEAVE_HISTORY"))
        cw_doctor_problem(d, "unset CLWEAVE_HISTORY", "%s", err.text);
    else
        cw_doctor_problem(d, "export XDG_CACHE_HOME=$(mktemp -d)", "%s: %s", err.text, loses);
    if (d->managed)
        add_pocl(d);
}
