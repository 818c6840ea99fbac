/* doctor_machine.c - processors, their load, and limits of this shell. */
#include "doctor.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SECTION "machine"

/* ---- processors */

/* The processors that a cgroup's quota gives; 0: no quota. Version 2 has "QUOTA PERIOD" or "max PERIOD" in
 * one file, version 1 a file for each (`period` != NULL). */
static double read_quota(const char *quota, const char *period)
{
    double given = 0, of = 0;
    FILE *f = fopen(quota, "r");

    if (f && !period && fscanf(f, "%lf %lf", &given, &of) != 2)
        given = 0;
    if (f && period && fscanf(f, "%lf", &given) != 1)
        given = 0;
    if (f)
        fclose(f);
    f = period ? fopen(period, "r") : NULL;
    if (f && fscanf(f, "%lf", &of) != 1)
        of = 0;
    if (f)
        fclose(f);
    return given > 0 && of > 0 ? given / of : 0;
}

/* The least quota of the group `path` of a hierarchy mounted at `root`, and of those above it. */
static double least_quota(const char *root, char *path, bool first_version)
{
    char quota[PATH_MAX], period[PATH_MAX];
    double least = 0, q;

    for (;;) {
        snprintf(quota, sizeof quota, "%s%s/%s", root, path, first_version ? "cpu.cfs_quota_us" : "cpu.max");
        snprintf(period, sizeof period, "%s%s/cpu.cfs_period_us", root, path);
        q = read_quota(quota, first_version ? period : NULL);
        least = q > 0 && (least <= 0 || q < least) ? q : least;
        if (!strrchr(path, '/'))
            return least;
        *strrchr(path, '/') = '\0';
    }
}

static double quota_of_this_process(void)
{
    FILE *f = fopen("/proc/self/cgroup", "r");
    char line[PATH_MAX], *path;
    double least = 0, q = 0;

    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        path = strchr(line, '/');
        if (!path)
            continue;
        if (strncmp(line, "0::", 3) == 0)
            q = least_quota("/sys/fs/cgroup", path, false);
        else if (strstr(line, ":cpu:") || strstr(line, ":cpu,") || strstr(line, ",cpu:"))
            q = least_quota("/sys/fs/cgroup/cpu", path, true);
        least = q > 0 && (least <= 0 || q < least) ? q : least;
        q = 0;
    }
    if (f)
        fclose(f);
    return least;
}

static void look_at_processors(struct cw_doctor *d)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    double quota = quota_of_this_process(), load[3] = {0};
    char mend[96];
    cpu_set_t set;

    d->processors =
        sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
    cw_doctor_fact(d, SECTION, "processors", "%u of %ld", d->processors, online);
    if (quota > 0)
        cw_doctor_fact(d, SECTION, "quota", "%.2f processors (cgroup)", quota);
    snprintf(mend, sizeof mend, "taskset -c 0-%ld clweave run -- ./app", online - 1);
    if (d->processors == 1)
        cw_doctor_problem(
            d, online > 1 ? mend : "nproc",
            "one processor: nothing runs beside the program; only rows, groups and small kernels gain");
    else if (quota > 0 && quota < d->processors * .95)
        cw_doctor_problem(d, "cat /sys/fs/cgroup/cpu.max    # for a container: docker update --cpus N NAME",
                          "the cgroup gives %.2f of %u processors: helpers wait for their turn", quota,
                          d->processors);
    if (getloadavg(load, 1) != 1)
        return;
    cw_doctor_fact(d, SECTION, "load", "%.1f", load[0]);
    if (load[0] >= d->processors)
        cw_doctor_problem(d, "top    # end other work, or try again later",
                          "the machine is busy (load %.1f on %u processors): helpers gain less", load[0],
                          d->processors);
}

/* ---- limits */

static void look_at_limits(struct cw_doctor *d)
{
    static const struct {
        __rlimit_resource_t kind;
        const char *name, *letter;
        rlim_t least; /* less is a problem; RLIM_INFINITY: any limit is an obstacle */
    } limits[] = {{RLIMIT_AS, "address space", "v", RLIM_INFINITY},
                  {RLIMIT_DATA, "data", "d", RLIM_INFINITY},
                  {RLIMIT_CPU, "processor time", "t", RLIM_INFINITY},
                  {RLIMIT_FSIZE, "size of files", "f", 64 << 20},
                  {RLIMIT_NOFILE, "open files", "n", 256}};
    struct rlimit now;
    unsigned found = 0;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char mend[96];

        if (getrlimit(limits[i].kind, &now) != 0 || now.rlim_cur >= limits[i].least)
            continue;
        found++;
        if (now.rlim_max == now.rlim_cur)
            snprintf(mend, sizeof mend,
                     "grep -v '^#' /etc/security/limits.conf    # the limit is hard: raise it there");
        else
            snprintf(mend, sizeof mend, "ulimit -S%s %s", limits[i].letter,
                     now.rlim_max == RLIM_INFINITY ? "unlimited" : "hard");
        if (limits[i].least == RLIM_INFINITY)
            cw_doctor_obstacle(d, mend, "%s is limited (ulimit -%s): run does nothing then", limits[i].name,
                               limits[i].letter);
        else
            cw_doctor_problem(d, mend, "%s are limited to %llu (ulimit -%s): builds may fail", limits[i].name,
                              (unsigned long long)now.rlim_cur, limits[i].letter);
    }
    cw_doctor_fact(d, SECTION, "limits", found ? "in the way, see below" : "none in the way");
}

static void look_at_seccomp(struct cw_doctor *d)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    int mode = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Seccomp: %d", &mode) == 1)
            break;
    if (f)
        fclose(f);
    cw_doctor_fact(
        d, SECTION, "seccomp", "%s",
        !f          ? "unknown: /proc is not mounted"
        : mode == 0 ? "none"
                    : "a filter is in force (a container's is no obstacle; with a program's own, nothing is "
                      "compiled for it)");
}

void cw_doctor_machine(struct cw_doctor *d)
{
    look_at_processors(d);
    look_at_limits(d);
    look_at_seccomp(d);
    if (access("/sys/devices/system/cpu", R_OK) != 0)
        cw_doctor_problem(d, "sudo mount -t sysfs sysfs /sys", "/sys is not mounted: PoCL may abort");
}
