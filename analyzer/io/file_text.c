/* file_text.c - see text.h. */
#include "text.h"
#include "array.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads to the end; *text is malloc'ed. Returns 0 or an errno. */
static int read_all(int fd, char **text, size_t *length)
{
    size_t capacity = 0;
    ssize_t n;

    *text = NULL;
    *length = 0;
    do {
        if (!cw_array_reserve(text, &capacity, *length, 1 << 16, 1))
            return ENOMEM;
        n = read(fd, *text + *length, 1 << 16);
        if (n > 0)
            *length += (size_t)n;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n < 0 ? errno : 0;
}

size_t cw_file_text_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

enum cw_status cw_file_text_open(struct cw_file_text *f, const char *path, struct cw_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error = 0;
    struct stat st;
    char *text = NULL;
    size_t length = 0, mark;
    bool mapped = false;

    *f = (struct cw_file_text){.text = ""};
    if (fd < 0)
        return cw_error_set(err, CW_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    cw_output_private_as(fd);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        error = map == MAP_FAILED ? errno : 0;
        mapped = !error;
        text = mapped ? map : NULL;
        length = mapped ? (size_t)st.st_size : 0;
    } else {
        error = read_all(fd, &text, &length);
    }
    close(fd);
    if (error) {
        free(text);
        return cw_error_set(err, error == ENOMEM ? CW_ERR_NOMEM : CW_ERR_IO, "cannot read %s: %s", path,
                            strerror(error));
    }
    mark = text ? cw_file_text_mark(text, length) : 0;
    *f = (struct cw_file_text){text ? text + mark : "", length - mark, mapped, text, length};
    return CW_OK;
}

void cw_file_text_release(const struct cw_file_text *f, size_t done)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (f->mapped && done >= page)
        madvise(f->begin, done / page * page, MADV_DONTNEED);
}

void cw_file_text_close(struct cw_file_text *f)
{
    if (f->mapped)
        munmap(f->begin, f->bytes);
    else
        free(f->begin);
    *f = (struct cw_file_text){.text = ""};
}
