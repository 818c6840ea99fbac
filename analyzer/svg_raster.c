#include "svg_raster.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

enum cw_status cw_svg_rasterise(FILE *svg, FILE *out, struct cw_error *err)
{
    char *const argv[] = {"rsvg-convert", "--zoom=2", NULL};
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int failed, wait_status = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(svg), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "cannot run rsvg-convert: %s; install librsvg2-bin, or write .svg",
                            strerror(failed));
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0)
        return cw_error_set(err, CW_ERR_IO, "rsvg-convert failed; write .svg instead");
    return CW_OK;
}
