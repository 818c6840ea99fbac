/* json_in.c - see json_in.h. */
#include "json_in.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cw_json_in_init(struct cw_json_in *in, const char *name, const char *text, size_t length,
                     struct cw_error *err)
{
    *in = (struct cw_json_in){.name = name, .text = text, .p = text, .end = text + length, .err = err};
}

void cw_json_in_finish(struct cw_json_in *in)
{
    free(in->scratch);
    in->scratch = NULL;
    in->scratch_size = 0;
}

bool cw_json_fail(struct cw_json_in *in, const char *at, const char *fmt, ...)
{
    char what[320];
    int used = 0;
    va_list ap;

    if (in->err->status)
        return false;
    if (in->context)
        used = snprintf(what, sizeof what, "%s[%zu]: ", in->context, in->index);
    va_start(ap, fmt);
    vsnprintf(what + used, sizeof what - (size_t)used, fmt, ap);
    va_end(ap);
    cw_text_wrong(in->name, in->text, at, in->err, "%s", what);
    return false;
}

static bool failed(const struct cw_json_in *in)
{
    return in->err->status != CW_OK;
}

static void skip_blanks(struct cw_json_in *in)
{
    while (in->p < in->end && (unsigned char)*in->p <= ' ' &&
           (*in->p == ' ' || *in->p == '\n' || *in->p == '\t' || *in->p == '\r'))
        in->p++;
}

char cw_json_peek(struct cw_json_in *in)
{
    skip_blanks(in);
    return failed(in) || in->p == in->end ? 0 : *in->p;
}

bool cw_json_expected(struct cw_json_in *in, const char *expected)
{
    if (in->p >= in->end)
        return cw_json_fail(in, in->end, "expected %s, found the end of the file; it is cut off", expected);
    if (*in->p >= ' ' && *in->p < 127)
        return cw_json_fail(in, in->p, "expected %s, found '%c'", expected, *in->p);
    return cw_json_fail(in, in->p, "expected %s, found byte 0x%02x", expected, (unsigned char)*in->p);
}

bool cw_json_begin(struct cw_json_in *in, char bracket)
{
    if (cw_json_peek(in) != bracket)
        return cw_json_expected(in, bracket == '{' ? "an object" : "an array");
    if (in->depth == CW_JSON_MAX_DEPTH)
        return cw_json_fail(in, in->p, "nested deeper than %d levels", CW_JSON_MAX_DEPTH);
    in->depth++;
    in->p++;
    return true;
}

bool cw_json_next(struct cw_json_in *in, char closing, bool *first)
{
    char c = cw_json_peek(in);

    if (failed(in))
        return false;
    if (c == closing) {
        in->p++;
        in->depth--;
        return false;
    }
    if (*first) {
        *first = false;
        return c ? true : cw_json_expected(in, closing == '}' ? "a key or '}'" : "a value or ']'");
    }
    if (c != ',')
        return cw_json_expected(in, closing == '}' ? "',' or '}'" : "',' or ']'");
    in->p++;
    return true;
}

bool cw_json_key(struct cw_json_in *in, const char **key, size_t *length)
{
    const char *s;

    if (cw_json_peek(in) != '"')
        return cw_json_expected(in, "a key in quotes");
    /* the common key: plain letters */
    for (s = in->p + 1;
         s < in->end && *s != '"' && *s != '\\' && (unsigned char)*s >= ' ' && (unsigned char)*s < 128;)
        s++;
    if (s < in->end && *s == '"') {
        *key = in->p + 1;
        *length = (size_t)(s - in->p) - 1;
        in->p = s + 1;
    } else if (!cw_json_string(in, key, length)) {
        return false;
    }
    if (cw_json_peek(in) != ':')
        return cw_json_expected(in, "':'");
    in->p++;
    return true;
}

static bool digits(struct cw_json_in *in, uint64_t max, uint64_t *value)
{
    const char *start = in->p;
    uint64_t v = 0;

    while (in->p < in->end && *in->p >= '0' && *in->p <= '9') {
        unsigned digit = (unsigned)(*in->p - '0');
        /* up to 10^18 nothing can overflow, and `max` is looked at once, below */
        if (v >= 1000000000000000000u && (v > UINT64_MAX / 10 || v * 10 > UINT64_MAX - digit))
            return cw_json_fail(in, start, "number out of range, at most %llu is possible here",
                                (unsigned long long)max);
        v = v * 10 + digit;
        in->p++;
    }
    if (in->p == start)
        return cw_json_expected(in, "a whole number");
    if (v > max)
        return cw_json_fail(in, start, "number out of range, at most %llu is possible here",
                            (unsigned long long)max);
    if (*start == '0' && in->p - start > 1)
        return cw_json_fail(in, start, "a number may not begin with 0");
    if (in->p < in->end && (*in->p == '.' || *in->p == 'e' || *in->p == 'E'))
        return cw_json_fail(in, start, "expected a whole number, found a fraction or an exponent");
    *value = v;
    return true;
}

bool cw_json_u64(struct cw_json_in *in, uint64_t max, uint64_t *value)
{
    if (cw_json_peek(in) == '-')
        return cw_json_fail(in, in->p, "expected a number that is not negative");
    return !failed(in) && digits(in, max, value);
}

bool cw_json_i64(struct cw_json_in *in, int64_t min, int64_t max, int64_t *value)
{
    bool negative = cw_json_peek(in) == '-';
    const char *at = in->p;
    uint64_t v = 0, limit = negative ? (min < 0 ? 0 - (uint64_t)min : 0) : max > 0 ? (uint64_t)max : 0;
    int64_t signed_value;

    if (failed(in))
        return false;
    in->p += negative;
    if (!digits(in, limit, &v))
        return false;
    signed_value = negative ? (int64_t)(0 - v) : (int64_t)v;
    if (signed_value < min || signed_value > max)
        return cw_json_fail(in, at, "%" PRId64 " is not between %" PRId64 " and %" PRId64, signed_value, min,
                            max);
    *value = signed_value;
    return true;
}

static bool word(struct cw_json_in *in, const char *text)
{
    size_t n = strlen(text);

    if ((size_t)(in->end - in->p) < n || memcmp(in->p, text, n) != 0)
        return false;
    in->p += n;
    return true;
}

bool cw_json_bool(struct cw_json_in *in, bool *value)
{
    cw_json_peek(in);
    if (failed(in))
        return false;
    if (word(in, "true"))
        *value = true;
    else if (word(in, "false"))
        *value = false;
    else
        return cw_json_expected(in, "true or false");
    return true;
}

bool cw_json_null(struct cw_json_in *in)
{
    return cw_json_peek(in) == 'n' && word(in, "null");
}

bool cw_json_hex(struct cw_json_in *in, uint64_t *value)
{
    const char *at;
    uint64_t v = 0;

    cw_json_peek(in);
    at = in->p;
    if (failed(in))
        return false;
    if (!word(in, "\"0x"))
        return cw_json_expected(in, "a string \"0x…\"");
    while (in->p < in->end && *in->p != '"') {
        char c = *in->p++;
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) || v >> 60)
            return cw_json_fail(in, at, "expected a string \"0x…\" of up to 16 hexadecimal digits");
        v = v * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (in->p == in->end || in->p - at < 4)
        return cw_json_fail(in, at, "expected a string \"0x…\" of up to 16 hexadecimal digits");
    in->p++;
    *value = v;
    return true;
}

/* A number of any kind, for values that are skipped. */
static bool skip_number(struct cw_json_in *in)
{
    const char *start = in->p;

    in->p += *in->p == '-';
    while (in->p < in->end && ((*in->p >= '0' && *in->p <= '9') || strchr("+-.eE", *in->p)) && *in->p)
        in->p++;
    if (in->p == start || in->p[-1] < '0' || in->p[-1] > '9')
        return cw_json_fail(in, start, "expected a value");
    return true;
}

/* The end of a string, without decoding it. */
static bool skip_string(struct cw_json_in *in)
{
    for (in->p++; in->p < in->end && *in->p != '"'; in->p++) {
        if (*in->p == '\\')
            in->p++;
        else if ((unsigned char)*in->p < ' ')
            return cw_json_expected(in, "the end of a string");
    }
    if (in->p >= in->end) {
        in->p = in->end;
        return cw_json_expected(in, "the end of a string");
    }
    in->p++;
    return true;
}

bool cw_json_skip(struct cw_json_in *in)
{
    char c = cw_json_peek(in);
    const char *key;
    size_t length;

    if (failed(in))
        return false;
    if (c == '{' || c == '[') {
        for (bool first = cw_json_begin(in, c); cw_json_next(in, c == '{' ? '}' : ']', &first);)
            if ((c == '{' && !cw_json_key(in, &key, &length)) || !cw_json_skip(in))
                return false;
        return !failed(in);
    }
    if (c == '"')
        return skip_string(in);
    if (c == '-' || (c >= '0' && c <= '9'))
        return skip_number(in);
    if (word(in, "true") || word(in, "false") || word(in, "null"))
        return true;
    return cw_json_expected(in, "a value");
}

bool cw_json_done(struct cw_json_in *in)
{
    if (cw_json_peek(in))
        return cw_json_expected(in, "the end of the file");
    return !failed(in);
}

/* Decoding strings; see json_in.h. */

static bool room(struct cw_json_in *in, size_t used)
{
    if (used + 8 > in->scratch_size) {
        size_t size = in->scratch_size * 2 + 256;
        char *bigger = realloc(in->scratch, size);
        if (!bigger) {
            cw_error_set(in->err, CW_ERR_NOMEM, "%s: out of memory", in->name);
            return false;
        }
        in->scratch = bigger;
        in->scratch_size = size;
    }
    return true;
}

/* Four hexadecimal digits at in->p. */
static bool hex4(struct cw_json_in *in, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, in->p++) {
        char c = in->p < in->end ? *in->p : 0;
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return cw_json_expected(in, "four hexadecimal digits");
        *code = *code * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return true;
}

static size_t put_code(char *out, unsigned code)
{
    if (code >= 0xEF80 && code <= 0xEFFF) { /* a byte that was not UTF-8, see json_out.h */
        out[0] = (char)(code & 0xFF);
        return 1;
    }
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 63));
        out[2] = (char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

/* Reads the rest of an escape, behind its backslash. */
static bool escape(struct cw_json_in *in, size_t *used)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = in->p - 1, *found;
    unsigned code, low;

    if (in->p < in->end && *in->p && (found = strchr(from, *in->p)) != NULL) {
        in->scratch[(*used)++] = to[found - from];
        in->p++;
        return true;
    }
    if (in->p >= in->end || *in->p != 'u')
        return cw_json_expected(in, "an escape");
    in->p++;
    if (!hex4(in, &code))
        return false;
    if (code >= 0xD800 && code < 0xDC00 && in->end - in->p >= 2 && in->p[0] == '\\' && in->p[1] == 'u') {
        in->p += 2;
        if (!hex4(in, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return cw_json_fail(in, at, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code == 0)
        return cw_json_fail(in, at, "a string may not hold a NUL character");
    if (code >= 0xD800 && code < 0xE000)
        return cw_json_fail(in, at, "half of a surrogate pair");
    *used += put_code(in->scratch + *used, code);
    return true;
}

/* One character of more than one byte. */
static bool multibyte(struct cw_json_in *in, size_t *used)
{
    const unsigned char *s = (const unsigned char *)in->p;
    unsigned extra = *s >= 0xF0 ? 3 : *s >= 0xE0 ? 2 : 1, code;
    static const unsigned least[] = {0, 0x80, 0x800, 0x10000};

    if (*s < 0xC2 || *s > 0xF4 || (size_t)(in->end - in->p) <= extra)
        return cw_json_fail(in, in->p, "not valid UTF-8");
    code = *s & (0x3F >> extra);
    for (unsigned i = 1; i <= extra; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return cw_json_fail(in, in->p, "not valid UTF-8");
        code = code << 6 | (s[i] & 0x3F);
    }
    if (code < least[extra] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return cw_json_fail(in, in->p, "not valid UTF-8");
    *used += put_code(in->scratch + *used, code);
    in->p += extra + 1;
    return true;
}

bool cw_json_string(struct cw_json_in *in, const char **value, size_t *length)
{
    size_t used = 0;

    if (cw_json_peek(in) != '"')
        return cw_json_expected(in, "a string");
    in->p++;
    for (;;) {
        if (!room(in, used))
            return false;
        if (in->p >= in->end || (unsigned char)*in->p < ' ')
            return cw_json_expected(in, "the end of a string");
        if (*in->p == '"')
            break;
        if (*in->p == '\\') {
            in->p++;
            if (!escape(in, &used))
                return false;
        } else if ((unsigned char)*in->p >= 0x80) {
            if (!multibyte(in, &used))
                return false;
        } else {
            in->scratch[used++] = *in->p++;
        }
    }
    in->p++;
    in->scratch[used] = '\0';
    *value = in->scratch;
    *length = used;
    return true;
}
