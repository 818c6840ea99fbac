/* links.c - see memory/links.h. */
#include "links.h"

#include "../../device/device.h"
#include "../core/state.h"

uint32_t cw_run_links_copies;

static struct cw_link_fit link[CW_RUN_WORKERS][2]; /* to the memory of a worker, and home; by its number */

/* Before a copy was measured. */
static struct cw_plan_link guessed_link(const struct cw_run_worker *l)
{
    const struct cw_far_memory *far = l->far;
    bool modelled = far->latency_ns > 0 || far->bytes_per_ns > 0;

    if (cw_run.direct >> l->memory & 1) /* a copy between two GPUs counts at the helper */
        return (struct cw_plan_link){.latency_ns = l->home ? 1 : CW_RUN_RELAY_NS,
                                     .bytes_per_ns = l->home ? 1e6 : CW_RUN_RELAY_BYTES_NS,
                                     .error_share = CW_RUN_COPY_ERROR};
    return (struct cw_plan_link){.latency_ns = CW_RUN_COPY_NS + far->latency_ns,
                                 .bytes_per_ns =
                                     far->bytes_per_ns > 0 ? far->bytes_per_ns : CW_RUN_COPY_BYTES_NS,
                                 .error_share = modelled ? CW_RUN_COPY_ERROR / 2 : CW_RUN_COPY_ERROR};
}

/* `home`: to the host's memory from that of `l`. */
static struct cw_link_fit *fit_of(const struct cw_run_worker *l, bool home)
{
    struct cw_link_fit *f = &link[l->number][home];
    const struct cw_plan_link guess = guessed_link(l);

    if (!f->guess.latency_ns)
        cw_link_fit_begin(f, &guess);
    return f;
}

struct cw_plan_link cw_run_links_known(const struct cw_run_worker *l, bool home)
{
    return cw_link_fit_link(fit_of(l, home));
}

void cw_run_links_copied(const struct cw_run_worker *l, bool home, uint64_t bytes, uint64_t ns)
{
    cw_link_fit_add(fit_of(l, home), bytes, (double)ns);
    cw_run_links_copies++;
}
