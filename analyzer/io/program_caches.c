/* program_caches.c - see io/folders.h. */
#include "folders.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

const struct cw_program_cache cw_program_caches[] = {
    {"darktable", ".cache", "darktable/cached_*kernels_for_*"},
    {"hashcat", ".cache", "hashcat/kernels"},
    {"hashcat", ".local/share", "hashcat/kernels"},
    {"python", ".cache", "pyopencl/pyopencl-compiler-cache-*"},
    {"python", ".cache", "opencv/*/opencl_cache"},
    {NULL, NULL, NULL},
};

bool cw_program_cache_find(const struct cw_program_cache *c, char path[PATH_MAX])
{
    const char *xdg = getenv(strcmp(c->home, ".cache") ? "XDG_DATA_HOME" : "XDG_CACHE_HOME"),
               *home = getenv("HOME");
    bool found = false;
    glob_t files;
    int n;

    if (xdg && *xdg == '/')
        n = snprintf(path, PATH_MAX, "%s/%s", xdg, c->folder);
    else
        n = home ? snprintf(path, PATH_MAX, "%s/%s/%s", home, c->home, c->folder) : PATH_MAX;
    if (n >= PATH_MAX || glob(path, 0, NULL, &files))
        return false;
    if (files.gl_pathc && strlen(files.gl_pathv[0]) < PATH_MAX) {
        strcpy(path, files.gl_pathv[0]);
        found = true;
    }
    globfree(&files);
    return found;
}

bool cw_program_cache_of(const char *program, char path[PATH_MAX])
{
    for (const struct cw_program_cache *c = cw_program_caches; c->program; c++)
        if (!strncmp(program, c->program, strlen(c->program)) && cw_program_cache_find(c, path))
            return true;
    return false;
}
