/* printable.c - see text.h. */
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

enum { LONGEST = 4, ESCAPE = 6, PIECE = 4096 };

/* Bytes that a character with this first byte has; 0: none begins with it. */
static size_t announced(unsigned char c)
{
    return c < 0x80 ? 1 : c < 0xC2 || c > 0xF4 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* Whether s[0 .. n - 1] is a character of UTF-8, or begins one. */
static bool fits(const unsigned char *s, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return false;
    return n < 2 || !((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
                      (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F));
}

static bool is_control(const unsigned char *s)
{
    return (*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7F || (*s == 0xC2 && s[1] < 0xA0);
}

size_t cw_printable_length(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = announced(*s);

    return length && length <= n && fits(s, length) && !is_control(s) ? length : 0;
}

void cw_printable_clean(char *text, size_t n)
{
    for (size_t i = 0, length; i < n; i += length ? length : 1)
        if (!(length = cw_printable_length(text + i, n - i)))
            text[i] = '?';
}

/* ---- the stream */

struct stream {
    int fd;
    size_t held; /* bytes of a character whose rest has not been written yet */
    char begun[LONGEST];
};

static bool write_all(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t wrote = write(fd, text, n);

        if (wrote < 0 && errno != EINTR)
            return false;
        text += wrote > 0 ? wrote : 0;
        n -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* Writes the replacement of the character or byte at s to `to`, ESCAPE bytes at most; returns how many.
 * *used: bytes of s. */
static size_t translate(const char *s, size_t n, char *to, size_t *used)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t length = cw_printable_length(s, n);
    char text[ESCAPE + 1];

    *used = length ? length : 1;
    if (length) {
        memcpy(to, s, length);
        return length;
    }
    if (*u == 0xC2 && n > 1 && (u[1] & 0xC0) == 0x80) {
        *used = 2;
        length = (size_t)snprintf(text, sizeof text, "\\u%04x", u[1]);
    } else {
        length = (size_t)snprintf(text, sizeof text, *u < 0x80 ? "\\u%04x" : "\\x%02x", *u);
    }
    memcpy(to, text, length);
    return length;
}

/* Bytes at the end of s[0 .. n - 1] that begin a character. */
static size_t unfinished(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;

    for (size_t k = 1; k < LONGEST && k <= n; k++)
        if ((u[n - k] & 0xC0) != 0x80)
            return announced(u[n - k]) > k && fits(u + n - k, k) ? k : 0;
    return 0;
}

static bool put(int fd, const char *s, size_t n)
{
    char out[PIECE];
    size_t have = 0, used;

    for (size_t i = 0; i < n; i += used) {
        have += translate(s + i, n - i, out + have, &used);
        if (have + ESCAPE > sizeof out || i + used == n) {
            if (!write_all(fd, out, have))
                return false;
            have = 0;
        }
    }
    return true;
}

static ssize_t write_stream(void *cookie, const char *text, size_t size)
{
    struct stream *s = cookie;
    char piece[PIECE];
    size_t n, at = 0;

    while (at < size) { /* a piece: the held bytes, and more */
        memcpy(piece, s->begun, s->held);
        n = size - at < PIECE - s->held ? size - at : PIECE - s->held;
        memcpy(piece + s->held, text + at, n);
        at += n;
        n += s->held;
        s->held = unfinished(piece, n);
        memcpy(s->begun, piece + n - s->held, s->held);
        if (!put(s->fd, piece, n - s->held))
            return 0; /* an error, says fopencookie(3) */
    }
    return (ssize_t)size;
}

static int close_stream(void *cookie)
{
    struct stream *s = cookie;
    bool good = put(s->fd, s->begun, s->held);

    free(s);
    return good ? 0 : -1;
}

FILE *cw_printable_stream(int fd)
{
    struct stream *s = malloc(sizeof *s);
    FILE *f =
        s ? fopencookie(s, "w", (cookie_io_functions_t){.write = write_stream, .close = close_stream}) : NULL;

    if (!f) {
        free(s);
        return NULL;
    }
    *s = (struct stream){.fd = fd};
#ifdef __SANITIZE_ADDRESS__
    __lsan_ignore_object(
        s); /* the sanitizer's fopencookie() keeps the pointer where it does not look for leaks */
#endif
    if (isatty(fd))
        setvbuf(f, NULL, _IOLBF, 0);
    return f;
}
