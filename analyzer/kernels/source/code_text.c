/* code_text.c - see code_text.h. */
#include "code_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BEGIN "//bytes "

char *cw_code_text(const unsigned char *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";
    char *text = n < SIZE_MAX / 4 ? malloc(sizeof TEXT_BEGIN + 2 * n + 1) : NULL, *to;

    if (!text)
        return NULL;
    to = stpcpy(text, TEXT_BEGIN);
    for (size_t i = 0; i < n; i++) {
        *to++ = digit[bytes[i] >> 4];
        *to++ = digit[bytes[i] & 15];
    }
    *to++ = '\n';
    *to = '\0';
    return text;
}

bool cw_code_text_is(const char *text)
{
    return text && !strncmp(text, TEXT_BEGIN, strlen(TEXT_BEGIN));
}

static int value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

unsigned char *cw_code_text_bytes(const char *text, size_t *n)
{
    unsigned char *bytes;
    size_t length;

    *n = 0;
    if (!cw_code_text_is(text))
        return NULL;
    text += strlen(TEXT_BEGIN);
    length = strspn(text, "0123456789abcdef");
    bytes = length % 2 == 0 && !strcmp(text + length, "\n") ? malloc(length / 2 + 1) : NULL;
    for (size_t i = 0; bytes && i < length / 2; i++)
        bytes[i] = (unsigned char)(value(text[2 * i]) << 4 | value(text[2 * i + 1]));
    *n = bytes ? length / 2 : 0;
    return bytes;
}
