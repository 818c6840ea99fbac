/* json_out.c - see json_out.h. */
#include "json_out.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cw_json_out_init(struct cw_json_out *o, FILE *f)
{
    /* U+0080 to U+009F: some terminals obey them */
    o->f = f;
    o->first = true;
    o->used = 0;
}

void cw_json_out_flush(struct cw_json_out *o)
{
    if (o->used)
        fwrite(o->buffer, 1, o->used, o->f);
    o->used = 0;
}

static char *reserve(struct cw_json_out *o, size_t bytes)
{
    if (o->used + bytes > sizeof o->buffer)
        cw_json_out_flush(o);
    return o->buffer + o->used;
}

static void put_bytes(struct cw_json_out *o, const char *s, size_t n)
{
    if (n > sizeof o->buffer / 2) {
        cw_json_out_flush(o);
        fwrite(s, 1, n, o->f);
        return;
    }
    memcpy(reserve(o, n), s, n);
    o->used += n;
}

void cw_json_put_text(struct cw_json_out *o, const char *text)
{
    put_bytes(o, text, strlen(text));
}

void cw_json_put_char(struct cw_json_out *o, char c)
{
    *reserve(o, 1) = c;
    o->used++;
}

void cw_json_put_u64(struct cw_json_out *o, uint64_t v)
{
    char digits[20];
    size_t n = 0;

    do
        digits[sizeof digits - ++n] = (char)('0' + v % 10);
    while (v /= 10);
    put_bytes(o, digits + sizeof digits - n, n);
}

void cw_json_put_i64(struct cw_json_out *o, int64_t v)
{
    if (v < 0)
        cw_json_put_char(o, '-');
    cw_json_put_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void cw_json_put_double(struct cw_json_out *o, double x)
{
    char text[40];

    if (!isfinite(x)) {
        cw_json_put_text(o, "null");
    } else if (x == floor(x) && fabs(x) < 0x1p53) {
        cw_json_put_i64(o, (int64_t)x);
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, x);
            if (strtod(text, NULL) == x)
                break;
        }
        cw_json_put_text(o, text);
    }
}

void cw_json_put_hex(struct cw_json_out *o, uint64_t v)
{
    char text[20];
    size_t n = sizeof text;

    text[--n] = '"';
    do
        text[--n] = "0123456789abcdef"[v & 15];
    while (v >>= 4);
    text[--n] = 'x';
    text[--n] = '0';
    cw_json_put_char(o, '"');
    put_bytes(o, text + n, sizeof text - n);
}

/* Length of the character at s (NUL-terminated) that is written as it is; 0 when it is not printable, or one
 * of the reserved U+EF80 … U+EFFF. */
static size_t plain_length(const char *s)
{
    bool reserved = (unsigned char)s[0] == 0xEE && (unsigned char)s[1] >= 0xBE;

    return reserved ? 0 : cw_printable_length(s, strnlen(s, 4));
}

/* Writes the character at s, or the byte that is no character, as an escape; returns how many bytes of s that
 * was. */
static size_t put_escape(struct cw_json_out *o, const char *s)
{
    unsigned char c = (unsigned char)*s, next = (unsigned char)s[1];
    bool is_control = c == 0xC2 && next >= 0x80 && next < 0xA0;
    char text[8];
    size_t n;

    if (c == '"' || c == '\\')
        n = (size_t)snprintf(text, sizeof text, "\\%c", c);
    else if (c == '\n' || c == '\t')
        n = (size_t)snprintf(text, sizeof text, "\\%c", c == '\n' ? 'n' : 't');
    else
        n = (size_t)snprintf(text, sizeof text, "\\u%04x", is_control ? next : c < 0x80 ? c : 0xEF00u + c);
    put_bytes(o, text, n);
    return 1 + is_control;
}

void cw_json_put_string(struct cw_json_out *o, const char *s)
{
    const char *plain = s;
    size_t n;

    if (!s) {
        put_bytes(o, "null", 4);
        return;
    }
    cw_json_put_char(o, '"');
    while (*s) {
        unsigned char c = (unsigned char)*s;

        n = c == '"' || c == '\\' || c < ' ' ? 0 : c < 0x7F ? 1 : plain_length(s);
        s += n;
        if (n)
            continue;
        put_bytes(o, plain, (size_t)(s - plain));
        s += put_escape(o, s);
        plain = s;
    }
    put_bytes(o, plain, (size_t)(s - plain));
    cw_json_put_char(o, '"');
}

void cw_json_put_key(struct cw_json_out *o, const char *key)
{
    size_t n = strlen(key);
    char *p = reserve(o, n + 4), *start = p;

    if (!o->first)
        *p++ = ',';
    o->first = false;
    *p++ = '"';
    memcpy(p, key, n);
    p += n;
    *p++ = '"';
    *p++ = ':';
    o->used += (size_t)(p - start);
}

void cw_json_put_ready_key(struct cw_json_out *o, const char *key, size_t length)
{
    put_bytes(o, key + o->first, length - o->first);
    o->first = false;
}

void cw_json_put_open(struct cw_json_out *o)
{
    cw_json_put_char(o, '{');
    o->first = true;
}

void cw_json_put_close(struct cw_json_out *o)
{
    cw_json_put_char(o, '}');
    o->first = false;
}

void cw_json_put_member_text(struct cw_json_out *o, const char *key, const char *value)
{
    cw_json_put_key(o, key);
    cw_json_put_string(o, value);
}

void cw_json_put_member_u64(struct cw_json_out *o, const char *key, uint64_t value)
{
    cw_json_put_key(o, key);
    cw_json_put_u64(o, value);
}

void cw_json_put_member_list(struct cw_json_out *o, const char *key)
{
    cw_json_put_key(o, key);
    cw_json_put_char(o, '[');
}

void cw_json_put_figures(struct cw_json_out *o, const struct cw_json_figure *figure, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        cw_json_put_key(o, figure[k].key);
        cw_json_put_double(o, figure[k].value);
    }
}

void cw_json_print_figures(FILE *f, const struct cw_json_figure *figure, size_t count)
{
    struct cw_json_out j;

    cw_json_out_init(&j, f);
    cw_json_put_open(&j);
    cw_json_put_figures(&j, figure, count);
    cw_json_put_close(&j);
    cw_json_put_char(&j, '\n');
    cw_json_out_flush(&j);
}
