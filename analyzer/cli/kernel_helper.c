/* kernel_helper.c - see kernel.h. */
#include "kernel.h"

#include "../kernels/models/program_models.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts it with its standard output at *from; the error number, 0 for none. */
static int start(char *const *argv, FILE **from, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int ends[2], e;
    if (pipe(ends))
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    e = posix_spawn(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = e ? NULL : fdopen(ends[0], "r");
    if (!*from)
        close(ends[0]);
    return e || *from ? e : ENOMEM;
}

enum cw_status cw_kernel_ask(const char *const *words, json_t **answer, struct cw_error *err)
{
    static struct cw_models_source source; /* large */
    const char **argv;
    size_t count = 0;
    FILE *from = NULL;
    pid_t pid = 0;
    int e;
    cw_program_models_init(&source, "");
    if (!*source.helper)
        return cw_error_set(err, CW_ERR_NOTFOUND, CW_MODELS_NO_HELPER);
    while (words[count])
        count++;
    argv = malloc((count + 2) * sizeof *argv);
    if (!argv)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");
    argv[0] = source.helper;
    memcpy(argv + 1, words, (count + 1) * sizeof *words);
    e = start((char *const *)argv, &from, &pid);
    free(argv);
    if (e)
        return cw_error_set(err, CW_ERR_IO, "cannot start %s: %s", source.helper, strerror(e));
    *answer = json_loadf(from, JSON_REJECT_DUPLICATES, NULL);
    fclose(from);
    while (waitpid(pid, &e, 0) < 0 && errno == EINTR)
        ;
    const char *message = json_string_value(json_object_get(json_object_get(*answer, "error"), "message"));
    if (*answer && !message)
        return CW_OK;
    if (message)
        cw_error_set(err, CW_ERR_FORMAT, "%s", message);
    else
        cw_program_models_no_answer(source.helper, err);
    json_decref(*answer);
    *answer = NULL;
    return err->status;
}
