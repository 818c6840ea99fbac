/* wanted.c - see workers/worker.h. */
#include "worker.h"

#include "../code/code.h"
#include "../core/context_device.h"
#include "../../door/thread.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/state.h"
#include "../core/thread.h"
#include "../tuning/tuning.h"

/* Worker held, lock not held. */
static bool get_program(struct cw_run_program *p, struct cw_run_context_device *place,
                        enum cw_run_copy_state how)
{
    if (how == CW_RUN_COPY_WANTED)
        return cw_helper_program_of(p, place);
    if (cw_helper_program_load(p, place))
        return true;
    if (how == CW_RUN_COPY_ASKED &&
        !cw_helper_program_ask(&(struct cw_run_recipe){p->source, p->options ? p->options : ""}, place)) {
        cw_run_global_lock_take();
        p->seek.until = UINT64_MAX;
        cw_run_global_lock_give();
    }
    return false;
}

void cw_run_wanted_prepare(struct cw_run_worker *l)
{
    struct cw_run_program *p = l->wanted[--l->num_wanted];
    struct cw_run_context_device *place = p->context->places;
    enum cw_run_copy_state how = p->copy[l->number];
    bool build = how == CW_RUN_COPY_WANTED, opened, good;
    double begin = cw_thread_cpu_ns();

    while (place->worker != l)
        place++;
    l->busy = true;
    cw_run.wanted--;
    cw_run.preparing++;
    cw_run_global_lock_give();
    opened = cw_run_context_device_queue(p->context, place);
    cw_run_global_lock_take();
    l->busy = false; /* ready commands need not wait for a compiler: a thread that waits for one may run
                        it here */
    l->building = true;
    cw_run_global_lock_give();
    /* The vendor's code generator wakes up after the first launch: its static data must outlive this build,
     * which the handler that is registered now will wait for. And data that this build
     * creates outlive later ones. */
    cw_exit_register();
    good = opened && get_program(p, place, how);
    cw_exit_register();
    cw_run_global_lock_take();
    l->building = false;
    cw_run.preparing--;
    cw_run.copies += good;
    cw_run_activation_loaded(build, good, cw_thread_cpu_ns() - begin);
    if (good)
        p->copy[l->number] = CW_RUN_COPY_READY;
    else if (!build || !opened) /* else the build has noted it */
        p->copy[l->number] = build ? CW_RUN_COPY_FAILED : CW_RUN_COPY_MISSED;
    cw_run_object_unpin(&p->r);
    cw_run_global_lock_tell();
}

void cw_run_wanted_context(struct cw_run_worker *l)
{
    if (l->context || l->opens || l->quit || cw_run_context_device_has_failed(l))
        return;
    l->opens = true;
    cw_run.wanted++;
    cw_run.readying++;
}

void cw_run_wanted_open(struct cw_run_worker *l)
{
    l->opens = false;
    cw_run.wanted--;
    l->busy = true;
    cw_run_global_lock_give();
    cw_run_context_device_open(l);
    cw_run_global_lock_take();
    l->busy = false;
    cw_run.readying--;
    cw_run_global_lock_tell();
}

void cw_run_wanted_nothing(struct cw_run_worker *l)
{
    cw_run.wanted -= l->num_wanted + l->opens;
    cw_run.readying -= l->opens;
    l->opens = false;
    for (; l->num_wanted; l->num_wanted--) {
        struct cw_run_program *p = l->wanted[l->num_wanted - 1];

        p->copy[l->number] = CW_RUN_COPY_FAILED;
        cw_run_object_unpin(&p->r);
    }
}
