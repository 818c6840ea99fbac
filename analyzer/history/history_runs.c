/* history_runs.c - see history_runs.h. */
#include "history_runs.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LATE         0.25 /* weight of a run that took longer than others: other programs mostly disturb it */
#define MUCH         1.5  /* a ratio that is worth being written down */
#define COST_LEAST   2e6  /* the time that beginning costs other threads counts, too */
#define COST_MOST    2e7
#define LOSSES_MOST  20
#define FAR_LONGER   2
#define CLEAR        1.1  /* bare time over estimated gain that is believed without a bare run */
#define STAKE        0.25 /* share of the gain of earlier runs that a run may be behind */
#define FIRST_OCTAVE 4    /* log2 of commands: of the first mark */
#define LONGEST_NS   1e18 /* more is nonsense */

static bool is_time(double ns)
{
    return ns >= 0 && ns < LONGEST_NS; /* no NAN either */
}

static bool entry_makes_sense(const struct cw_runs *r, const struct cw_runs_entry *e)
{
    bool good = is_time(e->bare_ns) && is_time(e->guess_ns) && is_time(e->run_ns) && is_time(e->cost_ns) &&
                is_time(e->lost_ns) && e->runs <= CW_RUNS_TRIALS && e->bares <= CW_RUNS_BARE &&
                e->losses <= LOSSES_MOST && e->used <= r->number && e->waits <= CW_RUNS_WAITING &&
                e->begins <= 1;

    for (uint32_t k = 0; good && k < CW_RUNS_MARKS; k++)
        good = is_time(e->at_ns[k]);
    return good;
}

static bool makes_sense(const struct cw_runs *r)
{
    bool good = r->count <= CW_RUNS_ARGUMENTS && is_time(r->lived_ns) && is_time(r->lost_ns);

    for (uint32_t i = 0; good && i < r->count; i++)
        good = entry_makes_sense(r, &r->entry[i]);
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

bool cw_history_runs_parse(struct cw_runs *r, const void *data, size_t bytes)
{
    bool good;

    memset(r, 0, sizeof *r);
    good = take(r, data, bytes);
    if (!good)
        cw_history_runs_finish(r);
    return good;
}

bool cw_history_runs_read(struct cw_runs *r, const struct cw_file_store *store, const struct cw_identity *id)
{
    size_t bytes = 0;
    char *data = cw_file_store_read(store, id, &bytes);
    bool there = data;

    memset(r, 0, sizeof *r);
    if (data)
        cw_history_runs_parse(r, data, bytes);
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

const struct cw_runs_entry *cw_history_runs_find(const struct cw_runs *r, uint64_t arguments)
{
    uint32_t i = find(r, arguments);

    return i < r->count ? &r->entry[i] : NULL;
}

double cw_history_runs_bare_ns(const struct cw_runs_entry *e)
{
    return e->bares ? e->bare_ns : e->guess_ns;
}

/* ---- the rule */

bool cw_history_runs_affords(double lived_ns, double lost_ns, double price_ns)
{
    return lost_ns + price_ns <= CW_RUNS_SHARE * lived_ns;
}

bool cw_history_runs_pays(double left_ns, double saved, double price_ns)
{
    return left_ns * saved >= price_ns;
}

/* Estimated cost of beginning. */
static double cost_of(const struct cw_runs_entry *e)
{
    double cost = e && e->cost_ns > 0 ? e->cost_ns : CW_RUNS_BEGIN_NS;

    return fmin(fmax(cost, COST_LEAST), COST_MOST);
}

/* Of a trial: each one that has lost doubles it. */
static double price_of(const struct cw_runs_entry *e)
{
    return ldexp(fmax(cost_of(e), e->lost_ns), (int)e->losses);
}

/* ---- the next run */

/* The first run of all pays for the vendor's compiler: one that helpers began in is not compared. */
bool cw_history_runs_is_compared(const struct cw_runs_entry *e)
{
    return e->bares >= (e->begins ? 1 : CW_RUNS_BARE);
}

/* A run that began in its middle was quicker than its launches are at home. */
static bool is_thought_to_gain(const struct cw_runs_entry *e)
{
    return e->begins && !e->bares && e->guess_ns >= CLEAR * e->run_ns && e->run_ns > 0;
}

static bool gains(const struct cw_runs_entry *e)
{
    return e->runs == CW_RUNS_TRIALS && (cw_history_runs_is_compared(e) || is_thought_to_gain(e));
}

enum cw_runs_state cw_history_runs_state(const struct cw_runs_entry *e)
{
    return gains(e) || is_thought_to_gain(e)        ? CW_RUNS_GAINING
           : e->waits && e->waits < CW_RUNS_WAITING ? CW_RUNS_WATCHED
           : e->runs                                ? CW_RUNS_TRYING
           : e->losses                              ? CW_RUNS_NO_GAIN
                                                    : CW_RUNS_WATCHED;
}

/* The bare time is to be measured again: it has been measured once, when the vendor may have had kernels to
 * compile, or long ago. */
static bool looks_again(const struct cw_runs_entry *e)
{
    return (e->bares && e->bares < CW_RUNS_BARE) ||
           (e->since >= CW_RUNS_AGAIN && !(e->since & (e->since - 1)));
}

enum cw_runs_start cw_history_runs_start(const struct cw_runs *r, uint64_t arguments, bool all)
{
    const struct cw_runs_entry *e = cw_history_runs_find(r, arguments);

    if (!e)
        return CW_RUNS_LATER;
    if (gains(e) || is_thought_to_gain(e))
        return looks_again(e) ? CW_RUNS_HOLD : CW_RUNS_GAINED;
    if ((e->begins || e->runs) && !cw_history_runs_is_compared(e))
        return CW_RUNS_HOLD;
    if (e->runs || (cw_history_runs_is_compared(e) && e->bare_ns > cost_of(e) &&
                    (all || cw_history_runs_affords(r->lived_ns, r->lost_ns, price_of(e)))))
        return CW_RUNS_TRY;
    return CW_RUNS_LATER;
}

double cw_history_runs_price(const struct cw_runs *r, uint64_t arguments, double *not_before_ns)
{
    const struct cw_runs_entry *e = cw_history_runs_find(r, arguments);

    *not_before_ns = e && (e->losses || !cw_history_runs_is_compared(e)) ? FAR_LONGER * e->bare_ns : 0;
    return cost_of(e) + (r->number ? 0 : CW_RUNS_ANALYSE_NS) + fmax(r->lost_ns - CW_RUNS_UNNOTICED_NS, 0);
}

bool cw_history_runs_is_over_before(const struct cw_runs *r, uint64_t arguments)
{
    const struct cw_runs_entry *e = cw_history_runs_find(r, arguments);

    return e && cw_history_runs_is_compared(e) && (e->losses || FAR_LONGER * e->bare_ns < cost_of(e));
}

/* Beginning is behind at first by its cost; where it has gained before, the later part of the run makes up
 * for that. */
static double may_be_behind_ns(const struct cw_runs_entry *e)
{
    double gain = gains(e) ? e->bare_ns - e->run_ns : 0;

    return CW_RUNS_SHARE * e->bare_ns + fmax(cost_of(e), STAKE * gain);
}

uint32_t cw_history_runs_mark(uint32_t commands, uint32_t *next)
{
    uint32_t octave, mark;

    *next = 1u << FIRST_OCTAVE;
    if (commands < *next)
        return CW_RUNS_MARKS;
    octave = 31 - (uint32_t)__builtin_clz(commands);
    mark = 4 * (octave - FIRST_OCTAVE) + (commands >> (octave - 2) & 3);
    *next = mark + 1 < CW_RUNS_MARKS ? ((commands >> (octave - 2)) + 1) << (octave - 2) : UINT32_MAX;
    return mark < CW_RUNS_MARKS ? mark : CW_RUNS_MARKS;
}

bool cw_history_runs_is_behind(const struct cw_runs *r, uint64_t arguments, uint32_t mark, double work_ns)
{
    const struct cw_runs_entry *e = mark < CW_RUNS_MARKS ? cw_history_runs_find(r, arguments) : NULL;

    return e && e->at_ns[mark] > 0 && work_ns > CW_RUNS_BEHIND * e->at_ns[mark] &&
           work_ns - e->at_ns[mark] > may_be_behind_ns(e);
}

/* ---- a run more */

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

static void lose(struct cw_runs_entry *e, double ns)
{
    e->losses += e->losses < LOSSES_MOST;
    e->lost_ns = fmax(ns, 0);
    e->runs = e->since = 0;
    e->run_ns = 0;
}

/* With enough runs of both kinds the record decides. */
static void judge(struct cw_runs_entry *e)
{
    if (e->runs < CW_RUNS_TRIALS || !cw_history_runs_is_compared(e))
        return;
    if (e->run_ns > CW_RUNS_GAIN * e->bare_ns)
        lose(e, e->run_ns - e->bare_ns);
    else
        e->losses = 0;
}

static void add_at_once(struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    if (run->guess_ns > 0)
        e->guess_ns = of_late(e->guess_ns, run->guess_ns);
    if (run->idle) {
        lose(e, 0);
        return;
    }
    if (run->waits && e->waits < CW_RUNS_WAITING) {
        e->waits++;
        return;
    }
    e->waits = 0;
    if (e->runs < CW_RUNS_TRIALS)
        e->run_ns = e->runs++ ? fmin(e->run_ns, run->work_ns) : run->work_ns;
    else
        e->run_ns = of_late(e->run_ns, run->work_ns);
    judge(e);
}

static void add_bare(struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    if (run->waits && e->bares && e->waits < CW_RUNS_WAITING) {
        e->waits++;
        return;
    }
    e->waits = 0;
    if (!(e->bare_ns > 0) || run->work_ns <= e->bare_ns)
        memcpy(e->at_ns, run->at_ns, sizeof e->at_ns);
    if (e->bares < CW_RUNS_BARE)
        e->bare_ns = e->bares++ ? fmin(e->bare_ns, run->work_ns) : run->work_ns;
    else
        e->bare_ns = of_late(e->bare_ns, run->work_ns);
    judge(e);
}

/* It was so long that helpers began: its bare time is not known, except when the program has changed. */
static void add_begun(struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    e->begins = 1;
    e->guess_ns = run->guess_ns;
    e->run_ns = e->runs ? e->run_ns : run->work_ns;
    if (!run->waits && run->work_ns > FAR_LONGER * e->bare_ns) {
        e->bares = 0;
        e->bare_ns = 0;
        memset(e->at_ns, 0, sizeof e->at_ns);
    }
}

/* Where the bare time is known the loss is measured; else it is the cost of beginning. */
static double loss_of(const struct cw_runs_entry *e, const struct cw_runs_run *run)
{
    if (run->idle)
        return run->cost_ns;
    if (!run->at_once && !run->began)
        return 0;
    return run->at_once && e->bares ? fmin(run->work_ns - e->bare_ns, FAR_LONGER * e->bare_ns) : run->cost_ns;
}

static bool is_sane(const struct cw_runs_run *run)
{
    return is_time(run->work_ns) && run->work_ns > 0 && is_time(run->guess_ns) && is_time(run->cost_ns) &&
           is_time(run->lived_ns);
}

bool cw_history_runs_add(struct cw_runs *r, uint64_t arguments, const struct cw_runs_run *run)
{
    bool known = find(r, arguments) < r->count;
    struct cw_runs_entry *e;
    double before;

    if (!run->idle && !is_sane(run))
        return false;
    e = entry_of(r, arguments);
    e->used = ++r->number;
    e->since += e->since < UINT32_MAX;
    r->lived_ns = fmin(r->lived_ns + run->lived_ns, LONGEST_NS / 2);
    r->lost_ns = fmin(fmax(r->lost_ns + loss_of(e, run), 0), LONGEST_NS / 2);
    if (run->cost_ns > 0)
        e->cost_ns = of_late(e->cost_ns, run->cost_ns);
    if (run->at_once || run->began) {
        (run->at_once ? add_at_once : add_begun)(e, run);
        return true;
    }
    before = e->bare_ns;
    known &= e->bares == CW_RUNS_BARE;
    add_bare(e, run);
    return !known || run->waits || e->losses || e->runs || e->bare_ns > cost_of(e) ||
           run->work_ns > MUCH * before || before > MUCH * run->work_ns;
}
