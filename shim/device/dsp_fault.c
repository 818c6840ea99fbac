#include "dsp_clock.h"
#include "../../sched/whole.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WATCHDOG_TIMES    3
#define WATCHDOG_LEAST_NS 1000000

/* A whole number that begins with a digit and ends at `stop`, of which *at is moved behind. */
static bool read_count(const char **at, char stop, uint64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    *value = strtoull(*at, &end, 10);
    if (*end != stop && !(stop == '\0' && *end == ','))
        return false;
    *at = *end == ',' || !*end ? end : end + 1;
    return true;
}

static bool read_word(const char **at, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool read_factor(const char **at, double *value)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    *value = strtod(*at, &end);
    if (!(*value > 0) || isinf(*value) || (*end && *end != ','))
        return false;
    *at = end;
    return true;
}

static bool read_one(const char **at, unsigned n, struct cw_dsp_faults *faults)
{
    struct cw_dsp_faults *f;
    uint64_t dsp;

    if (!read_count(at, ':', &dsp) || dsp >= n)
        return false;
    f = &faults[dsp];
    if (read_word(at, "die@"))
        return read_count(at, '\0', &f->dies_at) && f->dies_at > 0;
    if (read_word(at, "hang@"))
        return read_count(at, '\0', &f->hangs_at) && f->hangs_at > 0;
    if (!read_word(at, "slow@") || !read_count(at, '*', &f->slow_from_ns) ||
        f->slow_from_ns > UINT64_MAX / 1000)
        return false;
    f->slow_from_ns *= 1000;
    return read_factor(at, &f->slow_by);
}

enum cw_status cw_dsp_faults_read(const char *text, unsigned n, struct cw_dsp_faults *faults,
                                  struct cw_error *err)
{
    const char *at = text;

    memset(faults, 0, n * sizeof *faults);
    while (*at) {
        if (!read_one(&at, n, faults) || (*at == ',' && !at[1]))
            return cw_error_set(err, CW_ERR_INVALID,
                                "the fault list \"%s\" is not of the form DSP:die@N, DSP:hang@N or "
                                "DSP:slow@MICROSECONDS*FACTOR, "
                                "with commas between and DSPs from 0 to %u",
                                text, n ? n - 1 : 0);
        at += *at == ',';
    }
    return CW_OK;
}

uint64_t cw_dsp_faults_end(const struct cw_dsp_faults *f, uint64_t start, uint64_t end)
{
    uint64_t from = f->slow_from_ns > start ? f->slow_from_ns : start;

    if (f->slow_by <= 0 || end <= from)
        return end;
    return from + cw_whole_from((double)(end - from) * f->slow_by, UINT64_MAX - from);
}

uint64_t cw_dsp_watchdog_ns(double cost_ns)
{
    double ns = cost_ns * WATCHDOG_TIMES;

    return ns > WATCHDOG_LEAST_NS && ns < 1e18 ? cw_whole_from(ns, UINT64_MAX) : WATCHDOG_LEAST_NS;
}
