/* pyopencl_cache.c - see models/pyopencl_cache.h. The layout: cache.py of pyopencl 2021 and later. */
#include "pyopencl_cache.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../analyzer/io/file_text.h"
#include "../../builds/isolated_compiler.h"

#define MARK       "__constant int pyopencl_defeat_cache_"
#define MARK_TYPE  "__constant int "
#define HEX_DIGITS "0123456789abcdef"

enum { UUID_DIGITS = 32 };

struct search {
    const unsigned char *binary;
    size_t bytes;
    char *source; /* the result */
};

/* The name that pyopencl has given to `source` is in the binary. */
static bool is_of(const struct search *s, const char *source)
{
    const char *at = NULL, *name;
    size_t length;

    for (const char *next = source; (next = strstr(next, MARK)); next++)
        at = next;
    if (!at)
        return false;
    name = at + strlen(MARK_TYPE);
    length = strlen(MARK) - strlen(MARK_TYPE);
    if (strspn(name + length, HEX_DIGITS) != UUID_DIGITS)
        return false;
    return memmem(s->binary, s->bytes, name, length + UUID_DIGITS);
}

/* `path`: of a file "binary". */
static void look_at(struct search *s, const char *path)
{
    char beside[PATH_MAX];
    struct cw_file_text file;
    struct stat status;
    int folder = (int)(strrchr(path, '/') - path);

    if (stat(path, &status) || !S_ISREG(status.st_mode) || (size_t)status.st_size != s->bytes ||
        snprintf(beside, sizeof beside, "%.*s/source.cl", folder, path) >= (int)sizeof beside ||
        cw_file_text_open(&file, beside, NULL) != CW_OK)
        return;
    s->source = strndup(file.text, file.length);
    if (s->source && (strlen(s->source) != file.length || !is_of(s, s->source))) {
        free(s->source);
        s->source = NULL;
    }
    cw_file_text_close(&file);
}

static void search(void *data)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct search *s = data;
    char pattern[PATH_MAX];
    glob_t found;

    if ((!cache || *cache != '/') && !home)
        return;
    if (snprintf(pattern, sizeof pattern, "%s%s/pyopencl/pyopencl-compiler-cache-v*/*/binary",
                 cache && *cache == '/' ? cache : home,
                 cache && *cache == '/' ? "" : "/.cache") >= (int)sizeof pattern ||
        glob(pattern, GLOB_NOSORT, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc && !s->source; i++)
        look_at(s, found.gl_pathv[i]);
    globfree(&found);
}

char *cw_pyopencl_cache_source(const unsigned char *binary, size_t bytes)
{
    struct search s = {binary, bytes, NULL};

    if (memmem(binary, bytes, "pyopencl_defeat_cache_", strlen("pyopencl_defeat_cache_")))
        cw_isolated_compiler_files(search, &s);
    return s.source;
}
