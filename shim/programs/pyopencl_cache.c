/* pyopencl_cache.c - see programs/program_exchange.h. The layout: cache.py of pyopencl 2021 and later. */
#include "program_exchange.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_NAME  "pyopencl_defeat_cache_"
#define MARK       "__constant int " MARK_NAME
#define MARK_TYPE  "__constant int "
#define HEX_DIGITS "0123456789abcdef"

/* ENTRIES: of folders that are read for one binary, besides the user's cache */
enum { UUID_DIGITS = 32, SOURCE_BYTES = 16 << 20, ENTRIES = 20000, COMMAND_BYTES = 4096 };

/* The name that pyopencl has given to `source` is in the binary. */
static bool is_of(const struct cw_pyopencl_cache *s, const char *source)
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
static void look_at(struct cw_pyopencl_cache *s, const char *path)
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

/* ---- folders */

static _Thread_local unsigned entries_left;

static struct dirent *next_entry(void *folder)
{
    return entries_left ? entries_left--, readdir(folder) : NULL;
}

static void close_folder(void *folder)
{
    closedir(folder);
}

static void *open_folder(const char *path)
{
    return opendir(path);
}

/* Looks at the files that `tail` names below `folder`. */
static void look_below(struct cw_pyopencl_cache *s, const char *folder, const char *tail)
{
    char pattern[PATH_MAX];
    glob_t found = {.gl_readdir = next_entry,
                    .gl_opendir = open_folder,
                    .gl_closedir = close_folder,
                    .gl_lstat = lstat,
                    .gl_stat = stat};

    if (s->source || strpbrk(folder, "*?[\\") ||
        snprintf(pattern, sizeof pattern, "%s/%s", folder, tail) >= (int)sizeof pattern ||
        glob(pattern, GLOB_NOSORT | GLOB_ALTDIRFUNC, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc && !s->source; i++)
        look_at(s, found.gl_pathv[i]);
    globfree(&found);
}

static void look_in_cache(struct cw_pyopencl_cache *s)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    entries_left = UINT_MAX;
    if (cache && *cache == '/')
        look_below(s, cache, "pyopencl/pyopencl-compiler-cache-v*/*/binary");
    else if (home)
        look_below(s, home, ".cache/pyopencl/pyopencl-compiler-cache-v*/*/binary");
}

/* A cache_dir is `folder`, or lies in it. */
static void look_around(struct cw_pyopencl_cache *s, const char *folder)
{
    look_below(s, folder, "*/binary");
    look_below(s, folder, "*/*/binary");
}

/* The folders of files that the command line names: the script's among them. */
static void look_beside_files(struct cw_pyopencl_cache *s)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    char words[COMMAND_BYTES + 1] = "";
    ssize_t n = fd < 0 ? 0 : read(fd, words, COMMAND_BYTES);
    char *slash;

    if (fd >= 0)
        close(fd);
    for (char *word = words; word < words + n && !s->source; word += strlen(word) + 1)
        if (word > words && access(word, F_OK) == 0 && (slash = strrchr(word, '/')) && slash > word) {
            *slash = '\0';
            look_around(s, word);
            *slash = '/';
        }
}

bool cw_pyopencl_cache_may_have(const unsigned char *binary, size_t bytes)
{
    return binary && memmem(binary, bytes, MARK_NAME, strlen(MARK_NAME));
}

void cw_pyopencl_cache_search(struct cw_pyopencl_cache *s)
{
    s->source = NULL;
    look_in_cache(s);
    entries_left = ENTRIES;
    look_around(s, ".");
    look_beside_files(s);
}
