/* file_store_visit.c - see file_store_visit.h. */
#include "file_store_visit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS_LEAST 16 /* of names of earlier versions */

/* Shows the file `name` of the folder `at`, if it is sound. Returns whether it is to go. */
static bool show(const struct cw_file_store *s, int at, const char *name, const struct stat *st,
                 cw_file_store_visitor *each, void *context)
{
    struct cw_identity id;
    size_t bytes = 0;
    char *data = cw_file_store_read_name(s, name, &id, &bytes);
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, st->st_mtim};
    bool goes;

    if (!data)
        return false;
    utimensat(at, name, times, AT_SYMLINK_NOFOLLOW); /* reading may have counted as use */
    goes = each(&(struct cw_file_store_file){name, &id, data, bytes, (uint64_t)st->st_size, st->st_mtime},
                context);
    cw_identity_finish(&id);
    free(data);
    return goes;
}

struct cw_file_store_size cw_file_store_visit(const struct cw_file_store *s, cw_file_store_visitor *each,
                                              void *context)
{
    struct cw_file_store_size gone = {0};
    size_t n = 0;
    char(*names)[CW_FILE_STORE_NAME_BYTES] = cw_file_store_list(s, &n);
    int at = cw_file_store_open(s, false);
    struct stat st;

    while (at >= 0 && n-- > 0)
        if (fstatat(at, names[n], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            show(s, at, names[n], &st, each, context) && unlinkat(at, names[n], 0) == 0) {
            gone.files++;
            gone.bytes += (uint64_t)st.st_size;
        }
    free(names);
    if (at >= 0)
        close(at);
    return gone;
}

struct cw_file_store_size cw_file_store_visit_size(const struct cw_file_store *s, bool clear)
{
    struct cw_file_store_size all = {0};
    int at = cw_file_store_open(s, false);
    DIR *d = at >= 0 ? fdopendir(at) : NULL;
    struct dirent *e;
    struct stat st;

    while (d && (e = readdir(d)))
        if (strspn(e->d_name, "0123456789abcdef") >= DIGITS_LEAST &&
            fstatat(at, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode) &&
            (!clear || unlinkat(at, e->d_name, 0) == 0)) {
            all.files++;
            all.bytes += (uint64_t)st.st_size;
        }
    if (d)
        closedir(d);
    else if (at >= 0)
        close(at);
    return all;
}

const struct cw_cache_store cw_cache_stores[] = {{CW_CACHE_PROGRAMS, "how long runs of programs took"},
                                                 {"kernels", "programs for helpers, plans of chains"},
                                                 {"compiled", "code of single launches"},
                                                 {"builds", "answers to the program's own builds"},
                                                 {"footprints", "models of kernels"},
                                                 {"roofs", "how fast devices were measured to be"},
                                                 {NULL, NULL}};
