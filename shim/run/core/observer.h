/* observer.h - the functions of tuning/ and groups/ that the layers below them call: commands and builds are
 * reported there, and answers come back.
 *
 * Contract of every member: the lock of run mode is held, and kept unless its line says otherwise; no member
 * is NULL. cw_run_observer points to one constant table (api/mode_run.c) from the start of run mode on. */
#ifndef CW_RUN_OBSERVER_H
#define CW_RUN_OBSERVER_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct cw_run_program;
struct cw_run_task;

struct cw_run_observer {
    /* ---- commands; tasks/ and workers/ call these */

    /* A window of `count` commands closes, linked by window_next from `first` on: see cw_run_decide()
     * (groups/decide.h). The lock is given up while a plan is made. */
    bool (*decide)(struct cw_run_task *first, uint32_t count, struct cw_run_task **rest);
    /* `t`, a command with `gauged` set, is over. */
    void (*gauged_done)(const struct cw_run_task *t);

    /* ---- builds and models; builds/, models/, workers/ and planner/ call these */

    /* The models of the program's kernels, or the history, are known from now on. */
    void (*models_known)(struct cw_run_program *p);
};
extern const struct cw_run_observer *cw_run_observer;

#endif
