/* queue_blocks.c - blocks of tasks as tasks of Work Queue; see queue.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../io/array.h"
#include "../../io/quantity.h"
#include "queue.h"

#define BLOCK   ".clweave-block"
#define RESULTS ".clweave-results"

enum { BLOCK_MAX = 1 << 15, BLOCK_NS = 1000000000, REFUSED_S = 60, REFUSED_NS = 50000000 };

/* The file for the answer of a block. */
static void answer_name(const struct cw_queue *q, struct cw_dispatch_range r, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%u", q->folder, r.first);
}

bool cw_queue_blocks_submit(struct cw_queue *q, struct cw_dispatch_range range)
{
    struct work_queue_task *t = work_queue_task_create("exec clweave farm block " BLOCK " " RESULTS);
    size_t bytes;
    void *packed = cw_farm_block_pack(&q->plan, range, q->version, &bytes);
    char answer[PATH_MAX];
    bool ok = t && packed && bytes <= INT32_MAX &&
              cw_array_reserve(&q->out, &q->room, q->outs, 1, sizeof *q->out) &&
              cw_queue_files_add(q, t, range);

    answer_name(q, range, answer);
    unlink(answer);
    if (ok) {
        work_queue_task_specify_cores(t, 1);
        ok = work_queue_task_specify_buffer(t, packed, (int)bytes, BLOCK, WORK_QUEUE_NOCACHE) &&
             work_queue_task_specify_file(t, answer, RESULTS, WORK_QUEUE_OUTPUT, WORK_QUEUE_NOCACHE);
    }
    if (ok)
        q->out[q->outs++] = (struct cw_queue_block){range, work_queue_submit(q->work, t)};
    else if (t)
        work_queue_task_delete(t);
    free(packed);
    return ok;
}

uint32_t cw_queue_blocks_size(const struct cw_queue *q)
{
    double n = q->task_ns > 0 ? BLOCK_NS / q->task_ns : 1;

    return q->block ? q->block : n < 1 ? 1 : n > BLOCK_MAX ? BLOCK_MAX : (uint32_t)n;
}

/* Takes the block of Work Queue's task from the list; its index. */
static struct cw_queue_block *find(struct cw_queue *q, int task)
{
    for (size_t k = 0; k < q->outs; k++)
        if (q->out[k].task == task)
            return &q->out[k];
    return NULL;
}

/* The block's worker could not run it: another one shall. A task that is submitted twice would do for
 * that, but Work Queue 9.9 goes on with what it has freed then. */
static enum cw_status refuse(struct cw_queue *q, struct cw_queue_block *b, struct work_queue_task *t,
                             const char *wrong, char note[256], struct cw_error *err)
{
    const char *host = t->hostname && *t->hostname ? t->hostname : "a worker";
    const char *said = t->output && *t->output ? t->output : wrong;
    struct cw_dispatch_range range = b->range;
    bool missing = t->result & WORK_QUEUE_RESULT_INPUT_MISSING;
    char text[256];

    snprintf(text, sizeof text, "%s cannot run tasks: %.*s", host, (int)strcspn(said, "\n"), said);
    *b = q->out[--q->outs];
    work_queue_task_delete(t);
    if (missing)
        return cw_error_set(err, CW_ERR_IO,
                            "a file that tasks need cannot be sent: is it still there, and readable?");
    if (q->refused_s == 0)
        q->refused_s = cw_monotonic_s();
    if (cw_monotonic_s() - q->refused_s > REFUSED_S)
        return cw_error_set(err, CW_ERR_LIMIT, "%s", text);
    if (strcmp(text, q->refused) != 0)
        strcpy(note, strcpy(q->refused, text));
    nanosleep(&(struct timespec){0, REFUSED_NS}, NULL); /* such a worker is back at once */
    return cw_queue_blocks_submit(q, range) ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
}

enum cw_status cw_queue_blocks_take(struct cw_queue *q, struct work_queue_task *t,
                                    struct cw_farm_bytes *results, bool *done, char note[256],
                                    struct cw_error *err)
{
    struct cw_queue_block *b = find(q, t->taskid);
    struct cw_error wrong = {0};
    char answer[PATH_MAX];
    uint64_t ns = 0;

    *note = '\0';
    *done = false;
    if (!b) {
        work_queue_task_delete(t);
        return CW_OK;
    }
    answer_name(q, b->range, answer);
    snprintf(wrong.text, sizeof wrong.text, "exit status %d", t->return_status);
    if (t->result == WORK_QUEUE_RESULT_SUCCESS && t->return_status == 0)
        *done = cw_farm_block_results(answer, b->range, results, &ns, &wrong) == CW_OK;
    unlink(answer);
    if (!*done)
        return refuse(q, b, t, wrong.text, note, err);
    q->refused_s = 0;
    q->refused[0] = '\0';
    q->task_ns =
        (q->task_ns > 0 ? q->task_ns : (double)ns / b->range.count) / 2 + (double)ns / b->range.count / 2;
    *b = q->out[--q->outs];
    work_queue_task_delete(t);
    return CW_OK;
}

void cw_queue_blocks_cancel(struct cw_queue *q)
{
    while (q->outs) {
        struct work_queue_task *t = work_queue_cancel_by_taskid(q->work, q->out[--q->outs].task);

        if (t)
            work_queue_task_delete(t);
    }
}
