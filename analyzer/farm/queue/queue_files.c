/* queue_files.c - which files a task needs on another machine; see queue.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../io/array.h"
#include "queue.h"

static bool leads_out(const char *path)
{
    if (*path == '/')
        return true;
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (!strncmp(p, "..", 2) && (!p[2] || p[2] == '/'))
            return true;
    }
    return false;
}

/* The name in a task's folder: the same, or its last part where it leads out of this folder. */
static const char *remote_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (leads_out(path))
        return slash ? slash + 1 : path;
    while (!strncmp(path, "./", 2))
        for (path += 2; *path == '/';)
            path++;
    return path;
}

/* Whether a file of that name comes along by itself, or in a folder. */
static bool comes_along(const struct cw_queue *q, const char *remote)
{
    for (size_t k = 0; k < q->files; k++) {
        size_t n = strlen(q->file[k].remote);

        if (!strcmp(q->file[k].remote, remote) ||
            (q->file[k].folder && !strncmp(q->file[k].remote, remote, n) && remote[n] == '/'))
            return true;
    }
    return false;
}

/* Whether a word of a command names a file of this folder. */
static bool names_file(const char *word)
{
    struct stat st;

    return *word && !leads_out(word) && stat(word, &st) == 0 && S_ISREG(st.st_mode);
}

static enum cw_status add_file(struct cw_queue *q, size_t *capacity, const char *path, bool folder,
                               struct cw_error *err)
{
    const char *remote = remote_name(path);

    if (comes_along(q, remote))
        return CW_OK;
    if (!*remote || !strcmp(remote, "."))
        return cw_error_set(err, CW_ERR_INVALID, "--with %s: the whole working folder cannot be sent along",
                            path);
    if (!cw_array_reserve(&q->file, capacity, q->files, 1, sizeof *q->file))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %s", path);
    q->file[q->files++] = (struct cw_queue_file){path, remote, folder};
    return CW_OK;
}

enum cw_status cw_queue_files_find(struct cw_queue *q, char *const *with, size_t withs, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    size_t capacity = 0;
    struct stat st;

    for (size_t k = 0; status == CW_OK && k < withs; k++)
        status = stat(with[k], &st) < 0 ? cw_error_set(err, CW_ERR_NOTFOUND, "--with %s: %m", with[k])
                                        : add_file(q, &capacity, with[k], S_ISDIR(st.st_mode), err);
    for (uint32_t a = 0; status == CW_OK && a < q->plan.argc; a++) {
        const char *word = q->plan.argv[a];
        /* PATH finds a program without a slash, not this folder */
        if ((a || strchr(word, '/')) && names_file(word))
            status = add_file(q, &capacity, word, false, err);
    }
    return status;
}

/* A word of the command that has no placeholder has been looked at. */
static bool is_fixed(const struct cw_farm_plan *p, const char *word)
{
    for (uint32_t a = 0; a < p->argc; a++)
        if (!strcmp(p->argv[a], word))
            return true;
    return false;
}

struct sent {
    char **name; /* owned */
    size_t used, capacity;
};

static bool add_word(const struct cw_queue *q, struct work_queue_task *t, const char *word, struct sent *sent)
{
    const char *remote = remote_name(word);

    if (is_fixed(&q->plan, word) || !names_file(word) || comes_along(q, remote))
        return true;
    for (size_t k = sent->used; k--;)
        if (!strcmp(sent->name[k], remote))
            return true;
    if (!cw_array_reserve(&sent->name, &sent->capacity, sent->used, 1, sizeof *sent->name) ||
        !(sent->name[sent->used] = strdup(remote)))
        return false;
    sent->used++;
    return work_queue_task_specify_file(t, word, remote, WORK_QUEUE_INPUT, WORK_QUEUE_NOCACHE) == 1;
}

bool cw_queue_files_add(const struct cw_queue *q, struct work_queue_task *t, struct cw_dispatch_range range)
{
    struct sent sent = {0};
    bool ok = true;

    for (size_t k = 0; ok && k < q->files; k++)
        ok = q->file[k].folder ? work_queue_task_specify_directory(t, q->file[k].local, q->file[k].remote,
                                                                   WORK_QUEUE_INPUT, WORK_QUEUE_CACHE, 1)
                               : work_queue_task_specify_file(t, q->file[k].local, q->file[k].remote,
                                                              WORK_QUEUE_INPUT, WORK_QUEUE_CACHE);
    for (uint32_t n = range.first; ok && n < range.first + range.count; n++) {
        int argc;
        char **argv = cw_farm_plan_command(&q->plan, n, &argc);

        ok = argv != NULL;
        for (int a = 0; ok && a < argc; a++)
            if (a || strchr(argv[a], '/'))
                ok = add_word(q, t, argv[a], &sent);
        free(argv);
    }
    while (sent.used)
        free(sent.name[--sent.used]);
    free(sent.name);
    return ok;
}
