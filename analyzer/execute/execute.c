/* execute.c - replay --execute: chooses the orders, runs them, and says whether all results are the captured
 * ones. */
#include "execute_state.h"
#include "../graph/reorder.h"
#include "../graph/trace_read.h"
#include "../io/quantity.h"
#include "../graph/graph_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Launches that may wait for a command that the order runs behind them.
 *
 * In the trace another queue's command may have written while the launch ran: a kernel that polls such memory
 * never ends where commands run one after another. So may one behind whose dropped edge the command stands
 * that it needs. */

enum { LEAST_SECONDS = 10, TIMES = 10 }; /* the bound: their sum, TIMES the traced program */

static void set_rival(struct cw_exec *x, uint32_t launch, uint32_t other)
{
    const struct cw_command *c = &x->t->commands.v[launch];

    if ((c->type == CL_COMMAND_NDRANGE_KERNEL || c->type == CL_COMMAND_TASK) && x->rival[launch] == CW_NONE)
        x->rival[launch] = other;
}

static enum cw_status execute_wait_init(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    struct cw_races races;
    enum cw_status status = cw_races_find(&races, t, err);

    x->rival = malloc((t->commands.count + 1) * sizeof *x->rival);
    if (status == CW_OK && !x->rival)
        status = cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu commands", t->commands.count);
    for (size_t i = 0; status == CW_OK && i < t->commands.count; i++)
        x->rival[i] = CW_NONE;
    for (size_t i = 0; status == CW_OK && i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];

        if (e->kind != CW_EDGE_DATA || !(x->o->drop || (races.edge && races.edge[i])))
            continue;
        if (e->hazard != CW_HAZARD_RAW)
            set_rival(x, e->from, e->to);
        if (e->hazard != CW_HAZARD_WAR)
            set_rival(x, e->to, e->from);
    }
    cw_races_finish(&races);
    return status;
}

static enum cw_status never_ends(struct cw_exec *x, uint32_t id, double bound, struct cw_error *err)
{
    char launch[120], other[120];

    x->stuck = true;
    return cw_error_set(err, CW_ERR_LIMIT,
                        "%s has not ended after %.0f s. It may wait in a loop for memory that %s wrote while "
                        "it ran in the trace: such commands cannot run one after the other",
                        cw_execute_command_text(x->t, id, launch, sizeof launch), bound,
                        cw_execute_command_text(x->t, x->rival[id], other, sizeof other));
}

enum cw_status cw_execute_wait(struct cw_exec *x, uint32_t id, cl_event event, struct cw_error *err)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    double bound = LEAST_SECONDS + TIMES * 1e-9 * (double)(x->t->process.end_ns - x->t->process.start_ns);
    double end = cw_monotonic_s() + bound;
    cl_int state = CL_QUEUED, code = clFlush(x->current);

    while (code == CL_SUCCESS && state > CL_COMPLETE && cw_monotonic_s() < end) {
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        if (code == CL_SUCCESS && state > CL_COMPLETE)
            nanosleep(&nap, NULL);
    }
    clReleaseEvent(event);
    if (code == CL_SUCCESS && state > CL_COMPLETE)
        return never_ends(x, id, bound, err);
    return cw_execute_vendor_status(x, id, "the launch", code != CL_SUCCESS ? code : state, err);
}

/* One call of cw_execute_run. */
struct session {
    struct cw_exec x;
    struct cw_reorder orders;
    const uint32_t *plan;
    size_t plan_count;
    uint32_t *order;
    uint64_t *hashes; /* of the orders run so far, r->orders of them */
};

static enum cw_status map_data(struct cw_exec *x, struct cw_error *err)
{
    const char *path = x->t->data_path;
    enum cw_status status = CW_OK;
    struct stat st;
    int fd;
    if (!path)
        return cw_error_set(
            err, CW_ERR_NOTFOUND,
            "the trace has no captured data to run with; trace the program again with --capture-data");
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe is not waited for */
    if (fd < 0)
        return cw_error_set(err, errno == ENOENT ? CW_ERR_NOTFOUND : CW_ERR_IO,
                            "cannot open the captured data %s: %s; keep it beside the trace, or trace again "
                            "with --capture-data",
                            path, strerror(errno));
    if (fstat(fd, &st) != 0) {
        status = cw_error_set(err, CW_ERR_IO, "cannot read the captured data %s: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        status = cw_error_set(err, CW_ERR_FORMAT, "the captured data %s are not a file", path);
    } else if (st.st_size > 0) {
        x->data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        x->data_size = (uint64_t)st.st_size;
        if (x->data == MAP_FAILED)
            status =
                cw_error_set(err, CW_ERR_IO, "cannot map the captured data %s: %s", path, strerror(errno));
    }
    if (status != CW_OK)
        x->data = NULL, x->data_size = 0;
    close(fd);
    return status;
}

/* Runs all commands in x->order once. */
static enum cw_status run_order(struct cw_exec *x, enum cw_execute_phase phase, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    x->phase = phase;
    x->r->buffers = x->r->readbacks = x->r->bytes = x->r->address_bytes = 0;
    cw_execute_memory_reset(x);
    for (x->position = 0; status == CW_OK && x->position < x->t->commands.count;) {
        uint32_t id = x->order[x->position];
        if (x->runs[id])
            status = cw_execute_operation_find(x->t->commands.v[id].type)->run(x, id, err);
        x->position++;
        if (status == CW_OK && x->runs[id])
            status = cw_execute_memory_done(x, id, err);
    }
    return status;
}

static enum cw_status mismatch(struct session *s, struct cw_error *err)
{
    const struct cw_execute_report *r = s->x.r;
    char text[300];
    if (r->difference_count == 0)
        return CW_OK;
    return cw_error_set(err, CW_ERR_MISMATCH, "%s%s",
                        cw_execute_difference_text(s->x.t, &r->differences[0], text, sizeof text),
                        r->difference_count > 1 ? " (and more)" : "");
}

/* The order in which the trace took effect: as recorded, except for commands that a user event held back. */
static enum cw_status trace_order(struct session *s, struct cw_error *err)
{
    uint32_t *effective = NULL;
    enum cw_status status = cw_sweep_order(s->x.t, &effective, err);
    for (uint32_t i = 0; status == CW_OK && i < s->x.t->commands.count; i++)
        s->order[i] = effective ? effective[i] : i;
    free(effective);
    return status;
}

/* Trace order: does the re-run give the captured bytes, and which bytes are undefined? */
static enum cw_status calibrate(struct session *s, struct cw_error *err)
{
    enum cw_status status = trace_order(s, err);
    if (status == CW_OK && s->x.undefined) {
        status = run_order(&s->x, CW_EXEC_FIRST, err);
        if (status == CW_OK)
            status = run_order(&s->x, CW_EXEC_SECOND, err);
    } else if (status == CW_OK) {
        status = run_order(&s->x, CW_EXEC_COMPARE, err);
    }
    if (status == CW_OK && s->x.r->bytes <= s->x.r->undefined_bytes)
        status = cw_error_set(
            err, CW_ERR_NOTFOUND,
            "nothing can be compared: the trace holds neither contents of objects at their end nor "
            "read-backs of defined bytes; contents are not captured where the program is killed, or "
            "ends or releases objects in a callback or while a user event holds their commands back");
    return status == CW_OK ? mismatch(s, err) : status;
}

/* Remembers the order of the commands that do something. */
static void count_order(struct session *s)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a over words */
    for (size_t i = 0; i < s->x.t->commands.count; i++)
        if (s->x.runs[s->order[i]])
            hash = (hash ^ s->order[i]) * UINT64_C(0x100000001b3);
    s->hashes[s->x.r->orders++] = hash;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void count_distinct(struct session *s)
{
    struct cw_execute_report *r = s->x.r;
    if (r->orders)
        qsort(s->hashes, (size_t)r->orders, sizeof *s->hashes, by_value);
    for (uint64_t i = 0; i < r->orders; i++)
        r->distinct_orders += i == 0 || s->hashes[i] != s->hashes[i - 1];
}

/* Makes the k-th order and runs it. */
static enum cw_status run_kth(struct session *s, uint32_t k, struct cw_error *err)
{
    const struct cw_execute_options *o = s->x.o;
    enum cw_status status;
    s->x.r->failing_seed = o->seed + k;
    if (o->order == CW_EXECUTE_PLAN)
        status = cw_reorder_plan(&s->orders, s->plan, s->plan_count, s->order, err);
    else if (o->order == CW_EXECUTE_RANDOM)
        status = cw_reorder_random(&s->orders, o->seed + k, s->order, err);
    else
        status = trace_order(s, err);
    if (status == CW_OK)
        status = run_order(&s->x, CW_EXEC_COMPARE, err);
    if (status != CW_OK)
        return status;
    count_order(s);
    return mismatch(s, err);
}

static enum cw_status run_repeated(struct session *s, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    for (uint32_t k = 0; status == CW_OK && k < s->x.o->repeat; k++)
        status = run_kth(s, k, err);
    return status;
}

static enum cw_status run_dropped(struct session *s, uint32_t from, uint32_t to, struct cw_error *err)
{
    enum cw_status status = cw_reorder_drop(&s->orders, from, to, err);
    if (status == CW_OK) {
        s->x.r->dropped_from = from;
        s->x.r->dropped_to = to;
        s->x.r->edges_tried++;
        s->x.r->orders = 0;
        status = run_repeated(s, err);
    }
    return status;
}

/* Leaves out one data edge after another, those of one hazard after those of the other, until one makes a
 * difference. Edges that others imply cannot be left out and are passed over. */
static enum cw_status drop_until_mismatch(struct session *s, struct cw_error *err)
{
    static const enum cw_hazard hazards[] = {CW_HAZARD_RAW, CW_HAZARD_WAW, CW_HAZARD_WAR};
    const struct cw_trace *t = s->x.t;
    enum cw_status status = CW_OK;
    for (size_t h = 0; h < 3; h++)
        for (size_t i = 0; i < t->edges.count; i++) {
            const struct cw_edge *e = &t->edges.v[i];
            struct cw_error implied = {0};
            if (e->kind != CW_EDGE_DATA || e->hazard != hazards[h] || !s->x.runs[e->from] ||
                !s->x.runs[e->to])
                continue;
            status = cw_reorder_drop(&s->orders, e->from, e->to, &implied);
            if (status == CW_OK)
                status = run_dropped(s, e->from, e->to, err);
            else if (status == CW_ERR_INVALID)
                status = CW_OK;
            else
                *err = implied;
            if (status != CW_OK)
                return status;
        }
    return CW_OK;
}

int cw_execute_stdout_redirect(void)
{
    int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    fflush(stdout);
    if (saved >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return saved;
}

void cw_execute_stdout_restore(int saved)
{
    fflush(stdout);
    if (saved < 0)
        return;
    dup2(saved, STDOUT_FILENO);
    close(saved);
}

enum cw_status cw_execute_begin(struct cw_exec *x, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    if (x->t->process.selection && !x->t->process.sliced)
        status = cw_error_set(
            err, CW_ERR_UNSUPPORTED,
            "a part of a trace (%.200s) cannot be run again, as it lacks the contents of memory at "
            "its beginning; cut it from the whole trace with --execute --commands A..B -o FOLDER",
            x->t->process.selection);
    if (status == CW_OK)
        status = map_data(x, err);
    if (status == CW_OK)
        status = cw_execute_check(x, err);
    if (status == CW_OK)
        status = execute_wait_init(x, err);
    if (status == CW_OK)
        status = cw_execute_memory_init(x, err);
    return status == CW_OK ? cw_execute_address_init(x, err) : status;
}

void cw_execute_end(struct cw_exec *x)
{
    if (!x->stuck) {
        cw_execute_memory_finish(x);
        cw_execute_vendor_finish(x);
    }
    free(x->rival);
    free(x->runs);
    if (x->data)
        munmap(x->data, (size_t)x->data_size);
}

static enum cw_status session_run(struct session *s, struct cw_error *err)
{
    const struct cw_execute_options *o = s->x.o;
    size_t n = s->x.t->commands.count;
    enum cw_status status = cw_execute_begin(&s->x, err);
    if (status == CW_OK)
        status = cw_reorder_init(&s->orders, s->x.t, err);
    if (status != CW_OK)
        return status;
    s->order = calloc(n + 1, sizeof *s->order);
    s->hashes = calloc((size_t)o->repeat + 1, sizeof *s->hashes);
    if (!s->order || !s->hashes)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for orders of %zu commands", n);
    s->x.order = s->order;
    if (o->drop && !o->drop_auto) /* a bad edge is refused before anything runs */
        status = cw_reorder_drop(&s->orders, o->drop_from, o->drop_to, err);
    if (status == CW_OK)
        status = cw_execute_vendor_init(&s->x, err);
    if (status == CW_OK)
        status = calibrate(s, err);
    if (status != CW_OK)
        return status;
    if (!o->drop)
        return run_repeated(s, err);
    return o->drop_auto ? drop_until_mismatch(s, err) : run_dropped(s, o->drop_from, o->drop_to, err);
}

enum cw_status cw_execute_run(const struct cw_trace *t, const struct cw_execute_options *o,
                              const uint32_t *plan, size_t plan_count, struct cw_execute_report *r,
                              struct cw_error *err)
{
    struct session s = {.x = {.t = t, .o = o, .r = r}, .plan = plan, .plan_count = plan_count};
    double began = cw_monotonic_s();
    int saved = cw_execute_stdout_redirect();
    enum cw_status status;
    *r = (struct cw_execute_report){.options = *o, .dropped_from = CW_NONE, .dropped_to = CW_NONE};
    status = session_run(&s, err);
    count_distinct(&s);
    cw_execute_end(&s.x);
    cw_reorder_finish(&s.orders);
    free(s.order);
    free(s.hashes);
    cw_execute_stdout_restore(saved);
    r->bytes -= r->bytes < r->undefined_bytes ? r->bytes : r->undefined_bytes;
    r->seconds = cw_monotonic_s() - began;
    return status;
}
