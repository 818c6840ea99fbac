/* pyopencl_cache.c - see models/pyopencl_cache.h. The layout: cache.py of pyopencl 2021 and later. */
#include "pyopencl_cache.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../builds/isolated_compiler.h"

#define MARK       "__constant int pyopencl_defeat_cache_"
#define MARK_TYPE  "__constant int "
#define HEX_DIGITS "0123456789abcdef"

enum { UUID_DIGITS = 32, SOURCE_BYTES = 16 << 20 };

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

/* The text in the regular file `path`, the caller's to free; NULL: there is none, or more than any source
 * has. Other processes may write the file meanwhile, so it is not mapped. */
static char *read_source(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    size_t n = 0, size = 0;
    struct stat status;
    char *text = NULL;
    ssize_t more;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= SOURCE_BYTES)
        text = malloc((size = (size_t)status.st_size) + 1);
    while (text && n < size && (more = read(fd, text + n, size - n)) > 0)
        n += (size_t)more;
    close(fd);
    if (text)
        text[n] = '\0';
    if (text && n == size && strlen(text) == size)
        return text;
    free(text);
    return NULL;
}

/* `path`: of a file "binary". */
static void look_at(struct search *s, const char *path)
{
    char beside[PATH_MAX];
    struct stat status;
    int folder = (int)(strrchr(path, '/') - path);

    if (stat(path, &status) || !S_ISREG(status.st_mode) || (size_t)status.st_size != s->bytes ||
        snprintf(beside, sizeof beside, "%.*s/source.cl", folder, path) >= (int)sizeof beside)
        return;
    s->source = read_source(beside);
    if (s->source && !is_of(s, s->source)) {
        free(s->source);
        s->source = NULL;
    }
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
