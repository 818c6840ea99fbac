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
struct cw_run_queue;
struct cw_run_task;

struct cw_run_observer {
    /* ---- commands; tasks/ and workers/ call these */

    /* A window of `count` commands closes, linked by window_next from `first` on: see cw_run_decide()
     * (groups/decide.h). The lock is given up while a plan is made. */
    bool (*decide)(struct cw_run_task *first, uint32_t count, struct cw_run_task **rest);
    /* A window of `count` commands from `first` on closes, and may keep some. May begin helpers. */
    void (*closes)(struct cw_run_task *first, uint32_t count);
    /* True while a window that closes may keep some of its commands (tuning/hold.h). */
    bool (*holds)(void);
    /* A window with launches of `q` was planned; `gained`: the plan changed something. */
    void (*planned)(struct cw_run_queue *q, bool gained);
    /* The command has run, with that status. */
    void (*measured)(struct cw_run_task *t, cl_int status);
    /* The program's own GPU has waited so long for bytes from others, for a launch. */
    void (*waited_for_gpus)(double ns);
    /* The launch has run on its own, and ends now. */
    void (*ran_alone)(const struct cw_run_task *t);
    /* `t`, a command with `gauged` set, is over. */
    void (*gauged_done)(const struct cw_run_task *t);

    /* ---- builds and models; builds/, models/, workers/ and planner/ call these */

    /* True: the rule allows a compilation for this run now; build_ended is called after it, with its ns. */
    bool (*build_begins)(void);
    void (*build_ended)(double ns);
    /* A helper has looked for its program (`built`: has built it) in so many ns of processor time; `good`: it
     * has the program. */
    void (*helper_loaded)(bool built, bool good, double ns);
    /* The models of the program's kernels, or the history, are known from now on. */
    void (*models_known)(struct cw_run_program *p);
};
extern const struct cw_run_observer *cw_run_observer;

#endif
