/* learn_state.c - what run has learnt of the program so far; see learn.h. */
#include "learn.h"

#include <stdio.h>
#include <string.h>

#include "../history/run_records.h"

struct search {
    char **argv;
    int64_t begin_s;
    enum cw_learn_state own, any;
    char file[64]; /* of the record that `own` is in: the last used one */
};

/* The record's words end with those of argv: before them may stand the folder of the first, and, of a
 * script, its interpreter. */
static bool ends_with(const struct cw_run_record *r, char **argv)
{
    size_t bytes = 0;
    const char *at;

    for (char **word = argv; *word; word++)
        bytes += strlen(*word) + 1;
    if (bytes > r->arguments_bytes)
        return false;
    at = r->arguments + r->arguments_bytes - bytes;
    if (at > r->arguments && at[-1] != '\0' && at[-1] != '/')
        return false;
    for (; *argv; at += strlen(at) + 1)
        if (strcmp(at, *argv++) != 0)
            return false;
    return true;
}

static void look(const struct cw_run_record *r, void *context)
{
    static const enum cw_learn_state states[] = {[CW_RUN_WATCHING] = CW_LEARN_WATCHING,
                                                 [CW_RUN_TRYING] = CW_LEARN_TRYING,
                                                 [CW_RUN_GAINS] = CW_LEARN_GAINS,
                                                 [CW_RUN_NO_GAIN] = CW_LEARN_NO_GAIN};
    struct search *s = context;
    enum cw_learn_state state = states[r->state];

    if (r->used_s > s->begin_s && r->ago == 0 && state > s->any)
        s->any = state;
    if ((!*s->file || strcmp(s->file, r->file) == 0) && ends_with(r, s->argv)) {
        snprintf(s->file, sizeof s->file, "%s", r->file);
        s->own = state > s->own ? state : s->own;
    }
}

enum cw_learn_state cw_learn_state_read(const struct cw_cache_files *c, char **argv, int64_t begin_s)
{
    struct search s = {.argv = argv, .begin_s = begin_s};
    char path[PATH_MAX];

    if (cw_cache_files_path(c, CW_CACHE_PROGRAMS, path))
        cw_run_records_each(path, look, &s);
    return s.own != CW_LEARN_UNKNOWN ? s.own : s.any;
}

const char *cw_learn_state_word(enum cw_learn_state state)
{
    static const char *const words[] = {"nothing known", "watching", "no gain", "gains", "trying"};

    return words[state];
}
