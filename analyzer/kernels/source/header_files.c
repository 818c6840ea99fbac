/* header_files.c - see header_files.h. */
#include "header_files.h"
#include "../../io/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 4 << 20 };

static bool add_folder(struct cw_header_files *h, const char *path, size_t length)
{
    if (!cw_array_reserve(&h->folder, &h->folder_capacity, h->folders, 1, sizeof *h->folder))
        return false;
    h->folder[h->folders] = strndup(path, length);
    return h->folder[h->folders++] != NULL;
}

/* A folder as the options name it. Vendors may take the quotes around it for a part of its name: both
 * readings count. */
static bool add_named(struct cw_header_files *h, const char *path, size_t length)
{
    bool quoted = length > 2 && (*path == '"' || *path == '\'') && path[length - 1] == *path;
    const char *bare = quoted ? path + 1 : path;
    size_t bare_length = quoted ? length - 2 : length;

    return bare_length > 0 && strcspn(bare, "\"'\\") >= bare_length && add_folder(h, bare, bare_length) &&
           (!quoted || add_folder(h, path, length));
}

bool cw_header_files_init(struct cw_header_files *h, const char *options)
{
    memset(h, 0, sizeof *h);
    if (!add_folder(h, ".", 1))
        return false;
    for (const char *p = options ? options : ""; *p; p += strcspn(p, " \t\n")) {
        size_t length;
        p += strspn(p, " \t\n");
        if (strncmp(p, "-I", 2) != 0)
            continue;
        p += 2;
        p += strspn(p, " \t\n");
        length = strcspn(p, " \t\n");
        if (!add_named(h, p, length))
            return false;
    }
    return true;
}

static struct cw_header_text *find(struct cw_header_files *h, const char *name, bool given)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->v[i].given == given && strcmp(h->v[i].name, name) == 0)
            return &h->v[i];
    return NULL;
}

/* Takes over `text`. */
static struct cw_header_text *add(struct cw_header_files *h, const char *name, char *text, bool given)
{
    char *copy = strdup(name);

    if (!copy || !cw_array_reserve(&h->v, &h->capacity, h->count, 1, sizeof *h->v)) {
        free(copy);
        free(text);
        return NULL;
    }
    h->v[h->count] = (struct cw_header_text){copy, text, given};
    return &h->v[h->count++];
}

bool cw_header_files_add(struct cw_header_files *h, const char *name, const char *text)
{
    char *copy = strdup(text);

    return copy && add(h, name, copy, true);
}

static char *read_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    char *text = NULL;
    size_t length = 0;
    ssize_t n = 0;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_BYTES)
        text = malloc((size_t)st.st_size + 1);
    while (text && length < (size_t)st.st_size &&
           ((n = read(fd, text + length, (size_t)st.st_size - length)) > 0 || (n < 0 && errno == EINTR)))
        length += n > 0 ? (size_t)n : 0;
    close(fd);
    if (text)
        text[length] = '\0';
    if (text && (length != (size_t)st.st_size || strlen(text) != length)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The file at a path, read once; NULL text when there is none. */
static struct cw_header_text *file_at(struct cw_header_files *h, const char *path)
{
    struct cw_header_text *have = find(h, path, false);

    return have ? have : add(h, path, read_file(path), false);
}

/* Looks for folder/name; *found is the text that all answers must have. False: they differ, or memory is out.
 */
static bool look(struct cw_header_files *h, const char *folder, int folder_length, const char *name,
                 const char **found)
{
    struct cw_header_text *file;
    char *path = NULL;

    if (asprintf(&path, "%.*s%s%s", folder_length, folder, folder_length ? "/" : "", name) < 0)
        return false;
    file = file_at(h, path);
    free(path);
    if (!file)
        return false;
    if (file->text && *found && strcmp(file->text, *found) != 0)
        return false;
    if (file->text)
        *found = file->text;
    return true;
}

const char *cw_header_files_read(struct cw_header_files *h, const char *name, const char *includer)
{
    const struct cw_header_text *given = find(h, name, true);
    const char *found = given ? given->text : NULL, *slash = includer ? strrchr(includer, '/') : NULL;
    char *beside = NULL;
    int saved = errno;
    bool sure = true;

    if (slash && asprintf(&beside, "%.*s/%s", (int)(slash - includer), includer, name) < 0)
        return NULL;
    if (name[0] == '/') {
        sure = look(h, "", 0, name, &found);
    } else {
        for (size_t i = 0; i < h->folders && sure; i++)
            sure = look(h, h->folder[i], (int)strlen(h->folder[i]), name, &found) &&
                   (!beside || look(h, h->folder[i], (int)strlen(h->folder[i]), beside, &found));
    }
    free(beside);
    errno = saved;
    return sure ? found : NULL;
}

void cw_header_files_finish(struct cw_header_files *h)
{
    for (size_t i = 0; i < h->folders; i++)
        free(h->folder[i]);
    for (size_t i = 0; i < h->count; i++) {
        free(h->v[i].name);
        free(h->v[i].text);
    }
    free(h->folder);
    free(h->v);
    memset(h, 0, sizeof *h);
}
