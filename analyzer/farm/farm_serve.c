#include "farm_serve.h"
#include "../io/quantity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAST_PARTS = 4 };

void cw_farm_serve_fail(struct cw_farm_master *m, enum cw_status status, const char *text)
{
    if (m->status == CW_OK)
        m->status = cw_error_set(m->err, status, "%s: %s", text, strerror(errno));
}

static uint32_t below(const struct cw_farm_master *m, uint32_t k)
{
    return m->tree->place[m->first + k].below;
}

/* ---- results */

/* Adds a result to the batch when it is to be taken. */
void cw_farm_serve_take(struct cw_farm_master *m, enum cw_dispatch_report report,
                        const struct cw_farm_result *r)
{
    if (report == CW_DISPATCH_TAKE) {
        if (!m->batch.used)
            m->batch_s = cw_monotonic_s();
        m->vain_deaths = 0;
        m->batch_results++;
        if (m->f) {
            m->f->done++;
            m->f->session_done++;
            m->f->failed += cw_farm_result_failed(r);
        }
    }
    if (report == CW_DISPATCH_NOMEM || (report == CW_DISPATCH_TAKE && !cw_farm_result_add(&m->batch, r))) {
        errno = ENOMEM;
        cw_farm_serve_fail(m, CW_ERR_NOMEM, "cannot keep a result");
    }
}

/* Blocks get smaller towards the end, so that the workers end together. */
static uint32_t fair(const struct cw_farm_master *m, uint32_t k, uint32_t wanted)
{
    uint64_t parts = ((uint64_t)m->tree->place[m->node].below + m->outside) * (m->node ? 1 : LAST_PARTS);
    uint64_t part = (uint64_t)m->state.left * below(m, k) / parts;

    return m->run->block || wanted <= part ? wanted : part ? (uint32_t)part : 1;
}

static void grant(struct cw_farm_master *m, uint32_t k, uint32_t epoch, uint32_t wanted)
{
    uint32_t left = fair(m, k, wanted);
    struct cw_dispatch_range r;

    if (cw_farm_master_has_workers(m) &&
        m->child[k].adopted) { /* one whose end this master hears of takes its place */
        cw_farm_link_send(m->child[k].fd, CW_FARM_NO_MORE, epoch, NULL, 0, NULL, 0);
        return;
    }
    do { /* a child that is gone shows as such later */
        r = cw_dispatch_master_request(&m->state, k, epoch, left);
        if (r.count)
            cw_farm_link_send(m->child[k].fd, CW_FARM_WORK, epoch, &r, sizeof r, NULL, 0);
        left -= r.count;
    } while (r.count && left && m->state.queue.used && !cw_farm_master_has_workers(m));
}

/* Child k has a new link, and tells which tasks it holds. */
static bool welcome(struct cw_farm_master *m, uint32_t k, const struct cw_farm_frame *f, const char *payload)
{
    size_t n = f->bytes / sizeof(struct cw_dispatch_range);
    struct cw_dispatch_range *held = malloc(f->bytes + 1);
    bool ok = held != NULL;

    if (ok)
        memcpy(held, payload, f->bytes);
    if (!ok || !cw_dispatch_master_join(&m->state, k, held, n))
        cw_farm_serve_take(m, CW_DISPATCH_NOMEM, NULL);
    free(held);
    return ok &&
           cw_farm_link_send(m->child[k].fd, CW_FARM_WELCOME, m->state.child[k].epoch, NULL, 0, NULL, 0);
}

/* Messages of run->outside alone. False: it is none of them. */
static bool take_outside(struct cw_farm_master *m, const struct cw_farm_frame *f, const char *payload)
{
    char text[256];

    snprintf(text, sizeof text, "%.*s", f->bytes < sizeof text ? (int)f->bytes : (int)sizeof text, payload);
    if (f->kind == CW_FARM_NOTE && m->run->note)
        m->run->note(text);
    else if (f->kind == CW_FARM_FAILED && m->status == CW_OK)
        m->status = cw_error_set(m->err, CW_ERR_IO, "%s", text);
    return f->kind == CW_FARM_NOTE || f->kind == CW_FARM_FAILED;
}

/* False: the message is none of a child's. */
static bool take_message(struct cw_farm_master *m, uint32_t k, const struct cw_farm_frame *f,
                         const char *payload)
{
    const char *p = payload + sizeof(uint64_t), *end = payload + f->bytes;
    uint64_t wanted, most = (uint64_t)m->tree->block * below(m, k);
    struct cw_farm_result r;

    if (f->kind == CW_FARM_JOIN)
        return welcome(m, k, f, payload);
    if (cw_farm_master_is_outside(m, k) && f->kind != CW_FARM_REPORT)
        return take_outside(m, f, payload);
    if (f->kind != CW_FARM_REPORT || f->bytes < sizeof wanted)
        return false;
    memcpy(&wanted, payload, sizeof wanted);
    while (p < end) {
        if (!cw_farm_result_next(&p, end, &r))
            return false;
        cw_farm_serve_take(
            m, cw_dispatch_master_report(&m->state, k, f->epoch, r.task, cw_farm_result_failed(&r)), &r);
    }
    if (cw_farm_master_is_outside(m, k)) {
        m->outside = (uint32_t)(wanted >> 32);
        most = UINT32_MAX;
    }
    wanted &= UINT32_MAX;
    if (wanted && !m->stopped_by && m->status == CW_OK)
        grant(m, k, f->epoch, (uint32_t)(wanted < most ? wanted : most));
    return true;
}

/* Takes what child k has sent. False: it has closed its end, or sends what makes no sense. */
bool cw_farm_serve_listen(struct cw_farm_master *m, uint32_t k)
{
    struct cw_farm_child *w = &m->child[k];
    enum cw_farm_received got = cw_farm_link_read(w->fd, &w->in), next;
    struct cw_farm_frame f;
    const char *payload;

    if (got == CW_FARM_NOMEM)
        cw_farm_child_signal(w, SIGKILL);
    if (got != CW_FARM_FULL)
        return got == CW_FARM_EMPTY;
    while ((next = cw_farm_link_next(&w->in, &f, &payload)) == CW_FARM_FULL)
        if (!take_message(m, k, &f, payload)) {
            next = CW_FARM_CLOSED;
            break;
        }
    if (next == CW_FARM_CLOSED)
        cw_farm_child_signal(w, SIGKILL);
    return next != CW_FARM_CLOSED;
}

void cw_farm_serve_close(struct cw_farm_master *m, uint32_t k)
{
    cw_farm_descriptor_close(&m->child[k].fd);
    cw_dispatch_master_leave(&m->state, k);
}

void cw_farm_serve_parked(struct cw_farm_master *m)
{
    uint32_t k;

    while ((k = cw_dispatch_master_parked(&m->state)) != CW_DISPATCH_NOBODY)
        grant(m, k, m->state.child[k].epoch, m->state.child[k].owed);
}
