/* json_in_string.c - decoding strings; see json_in.h. */
#include "json_in.h"

#include <stdlib.h>
#include <string.h>

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
