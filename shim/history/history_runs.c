/* history_runs.c - see history_runs.h. */
#include "history_runs.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LATE        0.25 /* weight of a run that took longer than others: other programs mostly disturb it */
#define MUCH        1.5  /* a ratio that is worth being written down */
#define COST_LEAST  2e6  /* the time that it costs other threads counts too */
#define COST_MOST   2e7
#define LOSSES_MOST 10
#define FAR_LONGER  2
#define LONGEST_NS  1e18 /* more is nonsense */

static bool is_time(double ns)
{
    return ns >= 0 && ns < LONGEST_NS; /* no NAN either */
}

static bool makes_sense(const struct cw_runs *r)
{
    bool good = r->count <= CW_RUNS_ARGUMENTS && is_time(r->lived_ns) && is_time(r->learnt_ns);

    for (uint32_t i = 0; good && i < r->count; i++) {
        const struct cw_runs_entry *e = &r->entry[i];
        good = is_time(e->later_ns) && is_time(e->at_once_ns) && is_time(e->cost_ns) &&
               is_time(e->saved_ns) && is_time(e->owed_ns) && e->at_once <= CW_RUNS_TRIALS &&
               e->later <= CW_RUNS_BEFORE && e->losses <= LOSSES_MOST && e->used <= r->number &&
               e->learnt <= CW_RUNS_LEARNING && e->begins <= 1;
        for (uint32_t k = 0; good && k < CW_RUNS_MARKS; k++)
            good = is_time(e->at_ns[k]);
    }
    return good;
}

/* The stored part of a record: its entries, then their texts. */
static size_t stored_bytes(const struct cw_runs *r)
{
    return offsetof(struct cw_runs, entry) + r->count * sizeof r->entry[0];
}

void cw_history_runs_finish(struct cw_runs *r)
{
    for (uint32_t i = 0; i < CW_RUNS_ARGUMENTS; i++)
        free(r->text[i]);
    memset(r, 0, sizeof *r);
}

static char *copy_of(const void *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Sets r->text. False: these are no texts of its entries, or memory is out. */
static bool take_texts(struct cw_runs *r, const char *text, size_t bytes)
{
    for (uint32_t i = 0; i < r->count; i++) {
        size_t n = r->entry[i].bytes;

        if (n > bytes || (n && !(r->text[i] = copy_of(text, n))))
            return false;
        text += n;
        bytes -= n;
    }
    return bytes == 0;
}

static bool take(struct cw_runs *r, const char *data, size_t bytes)
{
    if (bytes < offsetof(struct cw_runs, entry))
        return false;
    memcpy(r, data, offsetof(struct cw_runs, entry));
    if (r->count > CW_RUNS_ARGUMENTS || bytes < stored_bytes(r))
        return false;
    memcpy(r->entry, data + offsetof(struct cw_runs, entry), r->count * sizeof r->entry[0]);
    return makes_sense(r) && take_texts(r, data + stored_bytes(r), bytes - stored_bytes(r));
}

bool cw_history_runs_read(struct cw_runs *r, const struct cw_file_store *store, const struct cw_identity *id)
{
    size_t bytes = 0;
    char *data = cw_file_store_read(store, id, &bytes);
    bool there = data;

    memset(r, 0, sizeof *r);
    if (data && !take(r, data, bytes))
        cw_history_runs_finish(r);
    free(data);
    return there;
}

void cw_history_runs_write(const struct cw_runs *r, struct cw_file_store *store, const struct cw_identity *id)
{
    size_t bytes = stored_bytes(r);
    char *data, *to;

    for (uint32_t i = 0; i < r->count; i++)
        bytes += r->entry[i].bytes;
    data = malloc(bytes);
    if (!data)
        return;
    to = mempcpy(data, r, stored_bytes(r));
    for (uint32_t i = 0; i < r->count; i++)
        if (r->entry[i].bytes)
            to = mempcpy(to, r->text[i], r->entry[i].bytes);
    cw_file_store_write(store, id, data, bytes);
    free(data);
}

uint64_t cw_history_runs_number(struct cw_runs *r, const void *text, size_t bytes)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        if (r->text[i] && r->entry[i].bytes == bytes && !memcmp(r->text[i], text, bytes))
            return r->entry[i].arguments;
        most = r->entry[i].arguments > most ? r->entry[i].arguments : most;
    }
    r->asked.text = text;
    r->asked.bytes = bytes;
    return r->asked.number = most + 1;
}

/* The number of the entry for `arguments`; r->count: there is none. */
static uint32_t find(const struct cw_runs *r, uint64_t arguments)
{
    uint32_t i = 0;

    while (i < r->count && r->entry[i].arguments != arguments)
        i++;
    return i;
}

bool cw_history_runs_knows(const struct cw_runs *r, uint64_t arguments)
{
    return find(r, arguments) < r->count;
}

double cw_history_runs_usual_ns(const struct cw_runs *r, uint64_t arguments)
{
    uint32_t i = find(r, arguments);

    return i < r->count ? r->entry[i].later_ns : 0;
}

/* Estimated cost of beginning. */
static double cost_of(const struct cw_runs_entry *e)
{
    double cost = e && e->cost_ns > 0 ? e->cost_ns : CW_RUNS_COST_NS;

    return fmin(fmax(cost, COST_LEAST), COST_MOST);
}

static bool is_short(const struct cw_runs_entry *e)
{
    return e->later_ns < CW_RUNS_LONG * cost_of(e);
}

/* After a loss, which a disturbed machine may have made, soon again; after the next ones later and later. A
 * trial is much of a short run. */
static uint32_t pause_of(const struct cw_runs_entry *e)
{
    uint32_t losses = e->losses + is_short(e);

    return e->losses ? (uint32_t)CW_RUNS_SOON << 2 * (losses < 6 ? losses - 1 : 5) : 0;
}

static bool is_long_enough(const struct cw_runs_entry *e)
{
    return !is_short(e) || (e->later_ns >= CW_RUNS_SHORT * cost_of(e) &&
                            e->later_ns + e->saved_ns >= CW_RUNS_LONG * cost_of(e));
}

/* The first of all runs often pays for the vendor's compiler; one that was held back was not the first. */
static bool is_worth_a_trial(const struct cw_runs_entry *e)
{
    return e->later >= (e->begins ? 1 : CW_RUNS_BEFORE) && is_long_enough(e) && e->since >= pause_of(e);
}

bool cw_history_runs_can_learn(double lived_ns, double learnt_ns, double ns)
{
    return lived_ns - learnt_ns >= CW_RUNS_LEARN * (learnt_ns + ns);
}

/* All runs have lived for long enough to pay for the builds of a trial. Where something was built, it may be
 * there. */
static bool may_learn(const struct cw_runs *r, const struct cw_runs_entry *e)
{
    double need = r->learnt_ns > 0 ? e->owed_ns : CW_RUNS_BUILD_NS;

    return !(need > 0) || cw_history_runs_can_learn(r->lived_ns, r->learnt_ns, need);
}

static bool is_clear(const struct cw_runs_entry *e)
{
    return e->later_ns >= CW_RUNS_CLEAR * e->at_once_ns;
}

/* Whether a gain is still one: twice, four times ... as many runs after the first look, which comes late
 * where the gain is clear. A run that shows less than was thought is noticed anyhow. */
static bool looks_again(const struct cw_runs_entry *e)
{
    uint32_t first = is_clear(e) ? 2 * CW_RUNS_AGAIN : CW_RUNS_AGAIN;

    return e->since >= first && !(e->since & (e->since - 1));
}

enum cw_runs_start cw_history_runs_start(const struct cw_runs *r, uint64_t arguments, bool all,
                                         double *after_ns)
{
    uint32_t i = find(r, arguments);
    const struct cw_runs_entry *e = i < r->count ? &r->entry[i] : NULL;

    *after_ns = r->number ? CW_RUNS_TIMES * cost_of(e) : CW_RUNS_FIRST_NS;
    if (!e)
        return CW_RUNS_LATER;
    if (e->at_once == CW_RUNS_TRIALS)
        return looks_again(e) || (e->later < CW_RUNS_BEFORE && !is_clear(e)) ? CW_RUNS_HOLD : CW_RUNS_GAINED;
    if (e->begins && !e->later)
        return CW_RUNS_HOLD;
    if (e->at_once || (is_worth_a_trial(e) && (all || may_learn(r, e))))
        return CW_RUNS_TRY;
    /* helpers that lose at once lose later too; a run that is far longer than those that were compared is
     * another matter */
    if (e->losses)
        *after_ns = fmax(*after_ns * (double)pause_of(e), FAR_LONGER * e->later_ns);
    return CW_RUNS_LATER;
}

bool cw_history_runs_is_over_before(const struct cw_runs *r, uint64_t arguments, double after_ns)
{
    uint32_t i = find(r, arguments);

    return i < r->count && r->entry[i].later == CW_RUNS_BEFORE &&
           FAR_LONGER * r->entry[i].later_ns < after_ns;
}

/* Beginning is behind at first by its cost; where it has gained before, the later part of the run makes up
 * for that. */
static double may_be_behind_ns(const struct cw_runs_entry *e)
{
    double gain = e->at_once == CW_RUNS_TRIALS ? e->later_ns - e->at_once_ns : 0;

    return CW_RUNS_LOST * e->later_ns + fmax(cost_of(e), CW_RUNS_STAKE * gain);
}

bool cw_history_runs_is_behind(const struct cw_runs *r, uint64_t arguments, uint32_t mark, double work_ns)
{
    uint32_t i = find(r, arguments);
    const struct cw_runs_entry *e = i < r->count && mark < CW_RUNS_MARKS ? &r->entry[i] : NULL;

    return e && e->at_ns[mark] > 0 && work_ns > CW_RUNS_BEHIND * e->at_ns[mark] &&
           work_ns - e->at_ns[mark] > may_be_behind_ns(e);
}

/* That of `arguments`, made if need be. */
static struct cw_runs_entry *entry_of(struct cw_runs *r, uint64_t arguments)
{
    uint32_t k = find(r, arguments);

    if (k < r->count)
        return &r->entry[k];
    k = 0;
    if (r->count < CW_RUNS_ARGUMENTS)
        k = r->count++;
    else
        for (uint32_t i = 1; i < r->count; i++)
            k = r->entry[i].used < r->entry[k].used ? i : k;
    free(r->text[k]);
    r->text[k] =
        r->asked.text && r->asked.number == arguments ? copy_of(r->asked.text, r->asked.bytes) : NULL;
    r->entry[k] =
        (struct cw_runs_entry){.arguments = arguments, .bytes = r->text[k] ? (uint32_t)r->asked.bytes : 0};
    return &r->entry[k];
}

/* One run tells little, however long it took: a shared machine makes one ten times as long, one that fails
 * takes no time. */
static double of_late(double before, double now)
{
    if (!(before > 0))
        return now;
    return now > before ? before + LATE * (fmin(now, FAR_LONGER * before) - before)
                        : fmax(now, before / FAR_LONGER);
}

static void lose(struct cw_runs_entry *e)
{
    e->losses += e->losses < LOSSES_MOST;
    e->at_once = e->since = 0;
    e->at_once_ns = 0;
}

/* Trials that might have built more are no loss: they come again when they may. */
static void lose_or_wait(struct cw_runs_entry *e)
{
    if (!(e->owed_ns > 0)) {
        lose(e);
        return;
    }
    e->at_once = 0;
    e->at_once_ns = 0;
}

static bool is_worth_it(const struct cw_runs_entry *e)
{
    double least = is_short(e) ? CW_RUNS_RETURN * cost_of(e) : 0;

    return e->at_once_ns <= CW_RUNS_GAIN * e->later_ns && e->later_ns - e->at_once_ns >= least;
}

/* With enough runs of both kinds the record decides. The time of runs without helpers can only fall. */
static void judge(struct cw_runs_entry *e)
{
    if (e->at_once < CW_RUNS_TRIALS)
        return;
    if (!is_worth_it(e))
        lose_or_wait(e);
    else if (e->later == CW_RUNS_BEFORE || is_clear(e))
        e->losses = 0;
}

static void add_at_once(struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    e->owed_ns = (float)run->owed_ns;
    if (run->learns && e->learnt < CW_RUNS_LEARNING) {
        e->learnt++;
        return;
    }
    e->learnt = 0;
    if (e->at_once < CW_RUNS_TRIALS)
        e->at_once_ns = e->at_once++ ? fmin(e->at_once_ns, run->work_ns) : run->work_ns;
    else
        e->at_once_ns = of_late(e->at_once_ns, run->work_ns);
    judge(e);
}

static void add_never(struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    if (!(e->later_ns > 0) || run->work_ns <= e->later_ns)
        memcpy(e->at_ns, run->at_ns, sizeof e->at_ns);
    if (e->later < CW_RUNS_BEFORE)
        e->later_ns = e->later++ ? fmin(e->later_ns, run->work_ns) : run->work_ns;
    else
        e->later_ns = of_late(e->later_ns, run->work_ns);
    judge(e);
}

/* It was so long that helpers began: its time without helpers is not known, except when the program has
 * changed. */
static void add_begun(struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    e->begins = 1;
    if (run->work_ns > MUCH * e->later_ns) {
        e->later = 0;
        e->later_ns = 0;
    }
}

bool cw_history_runs_add(struct cw_runs *r, uint64_t arguments, const struct cw_runs_run *run)
{
    bool known = find(r, arguments) < r->count, waits, wants;
    struct cw_runs_entry *e;
    double before;

    if (!is_time(run->work_ns) || run->work_ns <= 0 || !is_time(run->cost_ns) || !is_time(run->saved_ns) ||
        !is_time(run->lived_ns) || !is_time(run->learnt_ns) || !is_time(run->owed_ns))
        return false;
    e = entry_of(r, arguments);
    wants = is_worth_a_trial(e);
    e->saved_ns = (float)run->saved_ns;
    e->used = ++r->number;
    e->since++;
    waits = !may_learn(r, e);
    r->lived_ns = fmin(r->lived_ns + run->lived_ns, LONGEST_NS / 2);
    r->learnt_ns = fmin(r->learnt_ns + run->learnt_ns, LONGEST_NS / 2);
    if (run->cost_ns > 0)
        e->cost_ns = of_late(e->cost_ns, run->cost_ns);
    if (run->at_once || run->began) {
        (run->at_once ? add_at_once : add_begun)(e, run);
        return true;
    }
    before = e->later_ns;
    known &= e->later == CW_RUNS_BEFORE;
    add_never(e, run);
    return !known || run->cost_ns > 0 || run->learnt_ns > 0 || run->owed_ns > 0 ||
           (waits && is_worth_a_trial(e)) || wants != is_worth_a_trial(e) || e->losses || e->at_once ||
           run->work_ns > MUCH * before || before > MUCH * run->work_ns;
}

void cw_history_runs_add_idle(struct cw_runs *r, uint64_t arguments)
{
    uint32_t i = find(r, arguments);

    if (i == r->count)
        return;
    r->entry[i].used = ++r->number;
    lose(&r->entry[i]);
}
