/* stream_binary.c - see streams/stream_binary.h. */
#include "stream_binary.h"

#include <ctype.h>
#include <string.h>

/* `word` stands there, and not within a longer one: ld.global is no .global. */
static bool has_directive(const char *text, size_t bytes, const char *word)
{
    size_t n = strlen(word);
    const char *end = text + bytes;

    for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, n)); at += n)
        if ((at == text || isspace((unsigned char)at[-1])) &&
            (at + n == end || isspace((unsigned char)at[n])) &&
            !(at - text >= 5 && !memcmp(at - 5, ".ptr ", 5))) /* the space that a parameter points to */
            return true;
    return false;
}

/* An instruction loads 64 bits, be they an address, that are no floating-point number and no parameter. */
static bool loads_words(const char *text, size_t bytes)
{
    const char *end = text + bytes;

    for (const char *at = text, *last; (at = memmem(at, (size_t)(end - at), "ld.", 3)); at = last) {
        for (last = at + 3; last < end && (isalnum((unsigned char)*last) || strchr("._:", *last));)
            last++;
        if ((at == text || isspace((unsigned char)at[-1])) && last - at > 6 &&
            memcmp(at, "ld.param", 8) != 0 && !memcmp(last - 2, "64", 2) && last[-3] != 'f')
            return true;
    }
    return false;
}

bool cw_stream_binary_shows(const unsigned char *binary, size_t bytes)
{
    static const char *const hidden[] = {".global", ".extern", ".surfref", ".texref", ".alias"};
    const char *text = (const char *)binary;

    while (bytes && !text[bytes - 1])
        bytes--;
    if (!bytes || memchr(text, 0, bytes) || !has_directive(text, bytes, ".version") ||
        !has_directive(text, bytes, ".target") || memmem(text, bytes, "printf", 6) ||
        loads_words(text, bytes))
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (has_directive(text, bytes, hidden[i]))
            return false;
    return true;
}
