#include "table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void cw_table_csv(FILE *f, const char *text, size_t n)
{
    bool quotes =
        n && (memchr(text, '"', n) || memchr(text, ',', n) || memchr(text, '\n', n) || memchr(text, '\r', n));

    if (quotes)
        putc('"', f);
    for (size_t i = 0; quotes && i < n; i++) {
        if (text[i] == '"')
            putc('"', f);
        putc(text[i], f);
    }
    if (quotes)
        putc('"', f);
    else if (n)
        fwrite(text, 1, n, f);
}

bool cw_table_json(struct cw_json_out *json, const char *text, size_t n)
{
    static const char nul[] = "\xee\xbc\x80";
    size_t used = 0, nuls = 0;
    char *copy;

    for (size_t i = 0; i < n; i++)
        nuls += !text[i];
    copy = malloc(n + nuls * (sizeof nul - 2) + 1);
    if (!copy)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t m = text[i] ? 1 : sizeof nul - 1;
        memcpy(copy + used, text[i] ? &text[i] : nul, m);
        used += m;
    }
    copy[used] = '\0';
    cw_json_put_string(json, copy);
    free(copy);
    return true;
}

bool cw_table_is_utf8(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;

    for (size_t i = 0; i < n; i++) {
        unsigned c = s[i], more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        unsigned code = more == 3 ? c & 7 : more == 2 ? c & 15 : more == 1 ? c & 31 : c;

        if (!c || (c >= 0x80 && c < 0xc2) || c > 0xf4 || more > n - 1 - i)
            return false;
        for (unsigned k = 1; k <= more; k++) {
            if ((s[i + k] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (s[i + k] & 63);
        }
        if ((more == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
            (more == 3 && (code < 0x10000 || code > 0x10ffff)))
            return false;
        i += more;
    }
    return true;
}

static size_t digits(const char *s, size_t n)
{
    size_t k = 0;

    while (k < n && isdigit((unsigned char)s[k]))
        k++;
    return k;
}

enum cw_table_type cw_table_type_of(const char *s, size_t n)
{
    size_t at, whole, part;
    bool integer = true;

    if (n == 0)
        return CW_TABLE_NULL;
    at = *s == '-';
    whole = digits(s + at, n - at);
    if (n > CW_TABLE_NUMBER_BYTES || whole == 0 || (whole > 1 && s[at] == '0'))
        return CW_TABLE_TEXT;
    at += whole;
    if (at < n && s[at] == '.') {
        part = digits(s + at + 1, n - at - 1);
        integer = false;
        at += part ? 1 + part : 0;
    }
    if (at < n && (s[at] == 'e' || s[at] == 'E')) {
        size_t sign = at + 1 < n && (s[at + 1] == '+' || s[at + 1] == '-');
        part = digits(s + at + 1 + sign, n - at - 1 - sign);
        integer = false;
        at += part ? 1 + sign + part : 0;
    }
    return at < n ? CW_TABLE_TEXT : integer && whole <= 18 ? CW_TABLE_INTEGER : CW_TABLE_REAL;
}
