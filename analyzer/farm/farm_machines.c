/* farm_machines.c - the manager's side of a farm on several machines, and its blocks; see farm_command.h. */
#include "farm_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "farm_outside.h"
#include "farm_serve.h"
#include "../io/text.h"
#include "../io/folders.h"

/* ---- the manager */

static enum cw_status check_files(const struct cw_cli_list *with, const char *password, struct cw_error *err)
{
    for (size_t k = 0; k < with->count; k++)
        if (access(with->word[k], R_OK) < 0)
            return cw_error_set(err, CW_ERR_NOTFOUND, "--with %s: %s", with->word[k], strerror(errno));
    if (password && access(password, R_OK) < 0)
        return cw_error_set(err, CW_ERR_NOTFOUND, "--password %s: %s", password, strerror(errno));
    return CW_OK;
}

enum cw_status cw_farm_machines_open(struct cw_farm_machines *m, const char *manager,
                                     const struct cw_cli_list *with, const char *password,
                                     struct cw_error *err)
{
    char self[PATH_MAX];
    ssize_t n;
    enum cw_status status;

    *m = (struct cw_farm_machines){.outside.plan = -1};
    if (!manager && (with->count || password))
        return cw_error_set(err, CW_ERR_INVALID,
                            "--with and --password are for other machines: --manager is missing");
    if (!manager)
        return CW_OK;
    n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    if (!cw_helper_tool_beside(self, CW_FARM_OUTSIDE_PROGRAM, m->program))
        return cw_error_set(err, CW_ERR_NOTFOUND,
                            "--manager needs " CW_FARM_OUTSIDE_PROGRAM ", which is not there: install the "
                            "package coop-computing-tools-dev, then build and install clweave again");
    status = check_files(with, password, err);
    if (status == CW_OK)
        status = cw_farm_outside_address(manager, &m->host, &m->outside.port, err);
    m->outside.program = m->program;
    m->outside.version = CW_VERSION;
    m->outside.password = password;
    m->outside.with = with->word;
    m->outside.withs = (uint32_t)with->count;
    return status;
}

enum cw_status cw_farm_machines_begin(struct cw_farm_machines *m, const struct cw_farm_plan *p,
                                      uint32_t block, const struct cw_farm_outside **outside,
                                      struct cw_error *err)
{
    *outside = NULL;
    if (!m->host)
        return CW_OK;
    snprintf(m->folder, sizeof m->folder, "%s/clweave-farm.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(m->folder)) {
        m->folder[0] = '\0';
        return cw_error_set(err, CW_ERR_IO, "cannot make a folder for answers: %s", strerror(errno));
    }
    m->outside.folder = m->folder;
    m->outside.block = block;
    if (cw_farm_outside_prepare(&m->outside, p, err) != CW_OK)
        return CW_ERR_NOMEM;
    snprintf(m->join, sizeof m->join, "other machines join with: clweave farm worker %s%s:%u",
             m->outside.password ? "--password FILE " : "", m->host, m->outside.port);
    m->outside.join = m->join;
    *outside = &m->outside;
    return CW_OK;
}

/* Answers are left there when their program was killed. */
static void remove_folder(const char *path)
{
    DIR *d = opendir(path);

    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
}

void cw_farm_machines_close(struct cw_farm_machines *m)
{
    if (*m->folder)
        remove_folder(m->folder);
    if (m->host)
        cw_farm_outside_finish(&m->outside);
    free(m->host);
    *m = (struct cw_farm_machines){0};
}

/* ---- a block */

/* Leaves the reason to `clweave farm worker`, which watches for it. */
static void leave_note(const char *text)
{
    const char *path = getenv(CW_FARM_MACHINES_NOTE);
    int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        unlink(path);
    close(fd);
}

static enum cw_status run_block(const struct cw_farm_plan *p, const struct cw_farm_jobs *jobs,
                                const char *out, struct cw_error *err)
{
    struct cw_farm_checkpoint c;
    struct cw_farm_run run = {.plan = p, .checkpoint = &c, .jobs = jobs, .workers = 1, .patience_s = 10};
    struct cw_farm_figures figures;
    int signal = 0;
    enum cw_status status = cw_farm_checkpoint_create(&c, out, p, err);

    if (status != CW_OK)
        return status;
    status = cw_farm_global_run(&run, &figures, &signal, err);
    if (status == CW_OK && signal)
        status = cw_error_set(err, CW_ERR_IO, "stopped by signal %d (%s)", signal, strsignal(signal));
    cw_farm_checkpoint_close(&c);
    return status;
}

int cw_farm_machines_block(const struct cw_farm_jobs *jobs, const char *in, const char *out)
{
    struct cw_farm_plan p = {0};
    struct cw_file_text text;
    struct cw_error err = {0};
    enum cw_status status = cw_file_text_open(&text, in, &err);

    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a killed work_queue_worker shall leave no tasks */
    if (status == CW_OK) {
        status = cw_farm_block_unpack(&p, text.text, text.length, CW_VERSION, &err);
        cw_file_text_close(&text);
    }
    if (status == CW_ERR_VERSION)
        leave_note(err.text);
    if (status == CW_OK)
        status = run_block(&p, jobs, out, &err);
    cw_farm_plan_finish(&p);
    if (status != CW_OK)
        fprintf(stderr, "%s\n", err.text[0] ? err.text : cw_status_string(status));
    return status == CW_OK ? CW_EXIT_OK : CW_EXIT_FAILURE;
}
