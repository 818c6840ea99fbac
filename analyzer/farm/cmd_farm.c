/* cmd_farm.c - clweave farm: very many tasks on the processors of this machine, and of others. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../sched/dispatch.h"
#include "../../sched/dispatch_master.h"
#include "farm_serve.h"
#include "farm_rows.h"
#include "farm_tree.h"
#include "../cli/frame/cli.h"
#include "farm_command.h"

enum { WORKERS_MAX = 4096, TRIES = 3 };

struct farm_options {
    struct cw_cli_list each, with;
    const char *out, *format, *rows, *checkpoint, *manager, *password;
    int64_t workers, levels, block, tries;
    double timeout, patience;
    bool resume, retry_failed, json;
};

#define OPTION(name_, letter_, kind_, member, argument_, help_)                                              \
    {                                                                                                        \
        .name = name_, .letter = letter_, .kind = kind_, .offset = offsetof(struct farm_options, member),    \
        .argument = argument_, .help = help_                                                                 \
    }

static const struct cw_cli_option options[] = {
    OPTION("each", 0, CW_CLI_LIST, each, "FILE",
           "one task per line of FILE, - is standard input; several: one per combination of their lines"),
    OPTION("out", 'o', CW_CLI_STRING, out, "FILE",
           "write the table to FILE: .csv, .json, .jsonl (JSON lines) or .sqlite (default -, as CSV)"),
    {"format", 'f', CW_CLI_CHOICE, offsetof(struct farm_options, format), "FORMAT", CW_TABLE_FORMS,
     "write the table so (default: as its name ends)"},
    {"rows", 0, CW_CLI_CHOICE, offsetof(struct farm_options, rows), "FORM", CW_FARM_ROWS_FORMS,
     "tasks print CSV with a header, or JSON objects: their columns are the table's (default: csv for "
     "clweave's --csv -, json for its --json, else text)"},
    OPTION("workers", 'w', CW_CLI_INT, workers, "N",
           "tasks at a time on this machine (default: the processors it may use)"),
    OPTION("manager", 0, CW_CLI_STRING, manager, "[HOST:]PORT",
           "let workers of other machines join on PORT, 0 is a free one; HOST: this machine as they know it"),
    OPTION("with", 0, CW_CLI_LIST, with, "FILE", "--manager: send the file or folder along with the tasks"),
    OPTION("password", 0, CW_CLI_STRING, password, "FILE",
           "--manager: only workers that know the text of FILE may join"),
    OPTION("levels", 0, CW_CLI_INT, levels, "N",
           "levels of masters: from 2 on regional masters stand between, and one takes over where a "
           "master dies (default 1)"),
    OPTION("checkpoint", 0, CW_CLI_STRING, checkpoint, "FILE",
           "keep results in FILE as they come (default with -o: its name and .farm, until all is done)"),
    OPTION("resume", 0, CW_CLI_BOOL, resume, NULL, "go on with the checkpoint when it is there"),
    OPTION("retry-failed", 0, CW_CLI_BOOL, retry_failed, NULL, "resume: run the tasks that failed once more"),
    OPTION("timeout", 0, CW_CLI_DOUBLE, timeout, "SECONDS", "end a task after so long (default: never)"),
    OPTION("tries", 0, CW_CLI_INT, tries, "N", "give a task up that fails so often (default 3)"),
    OPTION("block", 0, CW_CLI_INT, block, "N",
           "tasks that a worker takes at a time (default: by their number, 64 at most)"),
    OPTION("patience", 0, CW_CLI_DOUBLE, patience, "SECONDS",
           "a worker that is stopped for so long counts as dead (default 10)"),
    OPTION("json", 0, CW_CLI_BOOL, json, NULL,
           "status: print the state as JSON, and the seconds that all tasks took together"),
    CW_CLI_END};

/* ---- the farm */

/* A standard stream that is closed stays useless, and no file of the farm gets its number, which workers and
 * programs use for others. */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return;
}

static uint32_t processors(void)
{
    cpu_set_t set;
    int n =
        sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (uint32_t)n : 1;
}

/* Each list is to have lines, and the table is not to take the place of one. */
static enum cw_status check_lists(const struct cw_farm_plan *p, struct cw_error *err)
{
    struct stat list, out;
    bool found = strcmp(p->out, "-") && stat(p->out, &out) == 0 && S_ISREG(out.st_mode);

    for (uint32_t k = 0; k < p->lists; k++) {
        const char *name = p->list[k].name;

        if (!p->list[k].lines)
            return cw_error_set(err, CW_ERR_INVALID, "farm: there are no lines in %s, so there are no tasks",
                                name);
        if (found && stat(name, &list) == 0 && list.st_ino == out.st_ino && list.st_dev == out.st_dev)
            return cw_error_set(err, CW_ERR_INVALID, "farm: the table would take the place of the list %s",
                                name);
    }
    return CW_OK;
}

static enum cw_status make_plan(struct cw_farm_plan *p, const struct farm_options *o, int argc, char **argv,
                                struct cw_error *err)
{
    enum cw_status status = CW_OK;
    bool ok = (p->argv = calloc((size_t)argc + 1, sizeof *p->argv)) != NULL;

    for (int a = 0; ok && a < argc; a++)
        ok = (p->argv[p->argc++] = strdup(argv[a])) != NULL;
    p->folder = getcwd(NULL, 0);
    p->out = strdup(o->out ? o->out : "-");
    p->timeout_s = o->timeout;
    p->tries = o->tries ? (uint32_t)o->tries : TRIES;
    p->form = (uint16_t)cw_table_form_called(o->format);
    p->rows = (uint16_t)cw_farm_rows_form_called(o->rows);
    if (!ok || !p->folder || !p->out)
        return cw_error_set(err, CW_ERR_IO, "cannot begin: %s", strerror(errno));
    for (size_t k = 0; status == CW_OK && k < o->each.count; k++)
        status = cw_farm_plan_add_list(p, o->each.word[k], err);
    if (status == CW_OK)
        status = cw_farm_plan_check(p, err);
    if (status == CW_OK)
        status = check_lists(p, err);
    if (status == CW_OK)
        status = cw_farm_table_check(p, err);
    if (status == CW_OK && !strchr(argv[0], '{') && strcmp(argv[0], cw_farm_own_jobs.name))
        status = cw_farm_task_check_program(argv[0], p->folder, err);
    return status;
}

/* The checkpoint that a table has by itself, malloc'ed; NULL: it has none. */
static char *own_checkpoint(const struct cw_farm_plan *p)
{
    char *name = strcmp(p->out, "-") ? malloc(strlen(p->out) + sizeof ".farm") : NULL;

    return name ? strcat(strcpy(name, p->out), ".farm") : NULL;
}

/* Where all is done, a table's own checkpoint has served. */
static void remove_own(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c)
{
    char *name = own_checkpoint(p);
    struct stat own, open;

    if (name && stat(name, &own) == 0 && fstat(c->fd, &open) == 0 && own.st_ino == open.st_ino &&
        own.st_dev == open.st_dev)
        unlink(name);
    free(name);
}

static void say_how_to_go_on(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c)
{
    if (c->path && p->rows == CW_FARM_ROWS_OTHER)
        cw_cli_complain("%u of %u tasks are done; the same command with --resume goes on", c->done, c->tasks);
    else if (c->path)
        cw_cli_complain("%u of %u tasks are done; 'clweave farm resume %s' goes on", c->done, c->tasks,
                        c->path);
    else
        cw_cli_complain("%u of %u tasks were done; --checkpoint or -o would have kept them", c->done,
                        c->tasks);
}

/* Tasks whose output is not what --rows says. */
static uint32_t odd;

/* The command whose farm it is; NULL: farm itself. */
static const struct cw_farm_use *use;

static enum cw_status write_table(const struct cw_farm_run *run, struct cw_error *err)
{
    return cw_farm_table_write(run->plan, run->checkpoint, &odd, err);
}

/* What follows the table: the tasks that failed. Returns an exit status. */
static int tell_failures(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c)
{
    cw_farm_report_failures(p, c);
    if (c->failed && c->path)
        cw_cli_complain("'clweave farm --retry-failed resume %s' runs the task%s that failed once more",
                        c->path, c->failed == 1 ? "" : "s");
    if (odd)
        cw_cli_complain(
            "the output of %u task%s is not what --rows says; --rows text keeps outputs as they are", odd,
            odd == 1 ? "" : "s");
    return c->failed || odd ? CW_EXIT_FAILURE : CW_EXIT_OK;
}

/* Runs the tasks that have no result yet, and writes the table. */
static int finish_farm(const struct cw_farm_run *run)
{
    const struct cw_farm_plan *p = run->plan;
    struct cw_farm_checkpoint *c = run->checkpoint;
    struct cw_farm_figures figures;
    struct cw_error err = {0};
    int signal = 0, result;
    enum cw_status status = cw_farm_global_run(run, &figures, &signal, &err);

    cw_farm_report_wipe();
    if (status == CW_OK && signal)
        cw_cli_complain("stopped by signal %d (%s)", signal, strsignal(signal));
    else if (status == CW_OK && !run->finish && !use)
        status = write_table(run, &err);
    if (status != CW_OK)
        cw_cli_fail(&err);
    if (status != CW_OK || signal) {
        say_how_to_go_on(p, c);
        return CW_EXIT_FAILURE;
    }
    if (isatty(STDERR_FILENO) || run->tree)
        cw_cli_complain("%u tasks done, %u in this run in %.1f s", figures.done, figures.session_done,
                        figures.seconds);
    result = use ? use->finish(use->context, p, c) : tell_failures(p, c);
    if (result == CW_EXIT_OK)
        remove_own(p, c);
    return result;
}

/* In the successor of the global master, which has died. */
static int go_on(const struct cw_farm_run *dead, struct cw_farm_tree *tree, int listening)
{
    struct cw_farm_run run = *dead;
    struct cw_farm_checkpoint c;
    struct cw_farm_plan stored = {0};
    struct cw_error err = {0};
    const char *path = run.context;
    enum cw_status status = path ? cw_farm_checkpoint_open(&c, path, true, &stored, &err) : CW_ERR_NOTFOUND;
    int result = CW_EXIT_FAILURE;

    if (status == CW_OK) {
        cw_cli_complain("the farm's process has died; process %d goes on: 'clweave farm status %s' shows how "
                        "far it is, 'kill %d' stops it",
                        (int)getpid(), path, (int)getpid());
        run.checkpoint = &c;
        run.tree = tree;
        run.listening = listening;
        run.tick = NULL;
        result = finish_farm(&run);
        cw_farm_checkpoint_close(&c);
    } else {
        if (path)
            cw_cli_fail(&err);
        cw_cli_complain(path ? "the farm's process has died, and it cannot go on"
                             : "the farm's process has died, with its results; --checkpoint or -o would have "
                               "kept them");
        cw_farm_tree_end(tree, true);
    }
    cw_farm_plan_finish(&stored);
    fflush(stdout);
    return result;
}

/* path: the checkpoint's, which holds from any folder; NULL: it has none. */
static int run_farm(const struct cw_farm_plan *p, struct cw_farm_checkpoint *c, const struct farm_options *o,
                    const char *path, struct cw_farm_machines *machines)
{
    struct cw_error err = {0};
    struct cw_farm_run run = {.plan = p,
                              .checkpoint = c,
                              .jobs = &cw_farm_own_jobs,
                              .workers = o->workers < 0 ? processors() : (uint32_t)o->workers,
                              .levels = o->levels ? (uint32_t)o->levels : 1,
                              .block = (uint32_t)o->block,
                              .patience_s = o->patience,
                              .tick = cw_farm_report_tick,
                              .note = cw_farm_report_note,
                              .go_on = go_on,
                              .finish = !use && strcmp(p->out, "-") ? write_table : NULL,
                              .context = (void *)(uintptr_t)path};

    if (cw_farm_machines_begin(machines, p, run.block, &run.outside, &err) == CW_OK)
        return finish_farm(&run);
    cw_cli_fail(&err);
    say_how_to_go_on(p, c);
    return CW_EXIT_FAILURE;
}

static enum cw_status open_checkpoint(struct cw_farm_checkpoint *c, const struct cw_farm_plan *p,
                                      const struct farm_options *o, struct cw_error *err)
{
    char *own = o->checkpoint ? NULL : own_checkpoint(p);
    const char *path = o->checkpoint ? o->checkpoint : own;
    struct cw_farm_plan stored = {0};
    enum cw_status status = CW_OK;
    bool found = o->resume && path && access(path, F_OK) == 0;

    if (found)
        status = cw_farm_checkpoint_open(c, path, true, &stored, err);
    else
        status = cw_farm_checkpoint_create(c, path, p, err);
    if (found && status == CW_OK && !cw_farm_plan_same(p, &stored)) {
        status = cw_error_set(err, CW_ERR_INVALID, "%s is the checkpoint of another command, list or folder",
                              path);
        cw_farm_checkpoint_close(c);
    } else if (found && status == CW_OK && o->retry_failed) {
        status = cw_farm_checkpoint_retry(c, err);
    }
    cw_farm_plan_finish(&stored);
    free(own);
    return status;
}

static int farm_plan(const struct farm_options *o, const struct cw_farm_plan *p,
                     struct cw_farm_machines *machines)
{
    struct cw_farm_checkpoint c;
    struct cw_error err = {0};
    char *path;
    int result;

    if (open_checkpoint(&c, p, o, &err) != CW_OK)
        return cw_cli_fail(&err);
    path = c.path ? realpath(c.path, NULL) : NULL;
    result = run_farm(p, &c, o, path, machines);
    cw_farm_checkpoint_close(&c);
    free(path);
    return result;
}

static int begin_farm(const struct farm_options *o, int argc, char **argv)
{
    struct cw_farm_plan p = {0};
    struct cw_error err = {0};
    struct cw_farm_machines machines = {0};
    int result = make_plan(&p, o, argc, argv, &err) == CW_OK &&
                         cw_farm_machines_open(&machines, o->manager, &o->with, o->password, &err) == CW_OK
                     ? farm_plan(o, &p, &machines)
                     : cw_cli_fail(&err);

    cw_farm_machines_close(&machines);
    cw_farm_plan_finish(&p);
    return result;
}

/* The name of a checkpoint: `path`, or, where it names a table that has one, that beside it. */
static const char *checkpoint_of(const char *path, char beside[PATH_MAX])
{
    bool table = snprintf(beside, PATH_MAX, "%s.farm", path) < PATH_MAX && access(beside, F_OK) == 0;

    return table ? beside : path;
}

/* `path` is no checkpoint. A table without one is finished; the text of `err` is for other files. */
static int use_table(const char *path, bool resume, bool json, const struct cw_error *err)
{
    struct cw_farm_summary s;

    if (err->status != CW_ERR_FORMAT || !cw_farm_summary_read(path, &s))
        return cw_cli_fail(err);
    cw_farm_report_finished(path, s.tasks, s.failed, json && !resume);
    return CW_EXIT_OK;
}

/* `status FILE` and `resume FILE` */
static int use_checkpoint(const struct farm_options *o, const char *path, bool resume, bool json)
{
    struct cw_farm_plan p;
    struct cw_farm_checkpoint c;
    struct cw_error err = {0};
    struct cw_farm_machines machines = {0};
    char beside[PATH_MAX], *full = NULL;
    enum cw_status status = cw_farm_checkpoint_open(&c, checkpoint_of(path, beside), resume, &p, &err);
    int result = CW_EXIT_OK;

    if (status == CW_OK)
        full = realpath(c.path, NULL);

    if (status != CW_OK) {
        result = use_table(path, resume, json, &err);
    } else if (!resume) {
        cw_farm_report_status(&p, &c, json);
    } else if (o->out || o->checkpoint) {
        cw_cli_complain(
            "farm: 'resume' takes the table's name from the checkpoint; leave -o and --checkpoint away");
        result = CW_EXIT_USAGE;
    } else if (p.rows == CW_FARM_ROWS_OTHER) {
        cw_cli_complain(
            "%s: is the checkpoint of `clweave %s --farm`; the same command with --resume goes on", path,
            p.argc > 1 ? p.argv[1] : "");
        result = CW_EXIT_FAILURE;
    } else if (chdir(p.folder) < 0) {
        cw_cli_complain("the farm's folder %s: %s", p.folder, strerror(errno));
        result = CW_EXIT_FAILURE;
    } else {
        p.timeout_s = o->timeout > 0 ? o->timeout : p.timeout_s;
        p.tries = o->tries ? (uint32_t)o->tries : p.tries;
        p.form = o->format ? (uint16_t)cw_table_form_called(o->format) : p.form;
        p.rows = o->rows ? (uint16_t)cw_farm_rows_form_called(o->rows) : p.rows;
        if (cw_farm_table_check(&p, &err) == CW_OK &&
            cw_farm_machines_open(&machines, o->manager, &o->with, o->password, &err) == CW_OK &&
            o->retry_failed)
            cw_farm_checkpoint_retry(&c, &err);
        result = err.status == CW_OK ? run_farm(&p, &c, o, full, &machines) : cw_cli_fail(&err);
    }
    free(full);
    cw_farm_machines_close(&machines);
    if (status == CW_OK)
        cw_farm_checkpoint_close(&c);
    cw_farm_plan_finish(&p);
    return result;
}

static const char *out_of_range(const struct farm_options *o)
{
    return (o->workers != -1 && !cw_cmd_farm_workers(o->workers))            ? "workers"
           : o->levels < 0 || o->levels > CW_DISPATCH_LEVELS_MAX             ? "levels"
           : o->block < 0 || o->block > 1 << 20                              ? "block"
           : o->tries < 0 || o->tries >= CW_DISPATCH_TRIES_MAX               ? "tries"
           : !(o->timeout == 0 || (o->timeout >= 0.001 && o->timeout < 1e9)) ? "timeout"
           : !(o->patience > 0 && o->patience < 1e9)                         ? "patience"
                                                                             : NULL;
}

static int run(const void *values, int argc, char **argv)
{
    const struct farm_options *o = values;
    const char *wrong = out_of_range(o);
    bool resume = argc && !strcmp(argv[0], "resume"), status = argc && !strcmp(argv[0], "status");

    hold_streams();
    if (wrong)
        cw_cli_complain("farm: --%s is out of its range", wrong);
    else if (o->workers == 0 && !o->manager)
        cw_cli_complain("farm: --workers 0 leaves the tasks to other machines: --manager is missing");
    else if (o->levels > 1 && o->manager)
        cw_cli_complain(
            "farm: --levels is for this machine alone; with --manager foremen are regional masters: "
            "clweave farm worker --foreman");
    else if (!o->each.count && argc && !strcmp(argv[0], "worker"))
        return cw_farm_machines_join(argc, argv);
    else if (!o->each.count && argc == 3 && !strcmp(argv[0], "block"))
        return cw_farm_machines_block(&cw_farm_own_jobs, argv[1], argv[2]);
    else if (o->retry_failed && !o->resume && !resume)
        cw_cli_complain("farm: --retry-failed is about a farm to resume");
    else if (o->each.count && argc)
        return begin_farm(o, argc, argv);
    else if (!o->each.count && argc == 2 && (resume || status))
        return use_checkpoint(o, argv[1], resume, o->json);
    else if (!o->each.count && argc == 3 && status && !strcmp(argv[1], "--json"))
        return use_checkpoint(o, argv[2], false, true);
    else if (o->each.count)
        cw_cli_complain("farm: the command is missing; usage: clweave farm --each FILE -- PROGRAM {}");
    else
        cw_cli_complain("farm: --each FILE is missing, or 'status FILE', or 'resume FILE'");
    return CW_EXIT_USAGE;
}

static const struct farm_options defaults = {.patience = 10, .workers = -1};

int cw_cmd_farm_use(const struct cw_farm_plan *p, const struct cw_farm_use *of)
{
    struct farm_options o = defaults;
    struct cw_farm_machines none = {0};

    hold_streams();
    o.checkpoint = of->checkpoint;
    o.resume = of->resume;
    o.workers = of->workers ? of->workers : -1;
    use = of;
    return farm_plan(&o, p, &none);
}

bool cw_cmd_farm_workers(int64_t workers)
{
    return workers >= 0 && workers <= WORKERS_MAX;
}

static const char *const examples[] = {
    "clweave farm --each sizes.txt -o times.csv -- clweave run ./app --size {}",
    "a program with each line's words",
    "clweave farm --each graphs --each policies --each seeds -o all.sqlite -- clweave compare {1} -p {2} "
    "--seed {3} --csv -",
    "every graph under every policy with every seed; columns policy, makespan, slr, ... of a database",
    "clweave farm resume all.sqlite.farm",
    "go on after a stop",
    "clweave farm --manager 9123 --each sizes.txt -o times.csv -- ./app {}",
    "the same on other machines, too, where 'clweave farm worker HOST:9123' runs",
    "clweave farm --retry-failed resume all.sqlite.farm",
    "run the tasks that failed once more, when their cause is gone",
    NULL};

const struct cw_command_def cw_cmd_farm = {
    .name = "farm",
    .summary = "run a command for each line of a list, on all processors, resumable",
    .usage = "--each FILE [options] -- PROGRAM [ARGUMENT | {} | {N}]... | status FILE | resume FILE | "
             "worker HOST:PORT",
    .details =
        "Each line of the list is a task. The word {} of the command becomes all words of the line, {2} the "
        "second one; quotes keep blanks in a word, and no shell is involved. A command of clweave that only "
        "computes (compare, replay, simulate, generate, dispatch) runs inside the worker, without a process. "
        "A task that fails is tried again, and given up after --tries failures; then the exit status is 1. "
        "Results are kept in the checkpoint as they come. After a kill, a stop (Ctrl-C) or a full disk "
        "`clweave farm resume` goes on there; each task's result is taken once. `clweave farm status` shows "
        "how far a farm is, also while it works. With --levels 2 or more a regional master takes over when "
        "the farm's process is killed, and goes on to the table. With --manager workers of other machines "
        "join by "
        "`clweave farm worker HOST:PORT`, which has a --help of its own; both need Work Queue. Files of the "
        "working folder that words of the command or of a task's lines name are sent along, others by "
        "--with; "
        "standard output and standard error come back.\n\n"
        "The table is complete or absent, in the order of the list, with the same cells as CSV, JSON or "
        "SQLite "
        "(table `farm`): task (its number, from 1), input (its line; of several lists a column each, named "
        "after the list), status (ok, or how it failed), output, errors (its standard error, where it "
        "failed). "
        "Where tasks print rows, the columns of these stand in place of output, and a task has as many rows "
        "as "
        "it prints, one at least; JSON rows are objects, an array of them, or an object with such an array "
        "`results`. A column is of whole numbers or of numbers where all its values are, else text.",
    .options = options,
    .words = "status|resume|worker",
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .max_operands = -1,
    .program = true,
    .run = run,
};
