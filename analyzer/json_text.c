#include "json_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Length of the well-formed UTF-8 sequence at `s`, 0 when it is malformed. */
static int utf8_length(const unsigned char *s)
{
    int n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;

    for (int k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    /* overlong forms, surrogates, beyond U+10FFFF */
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
        (*s == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void cw_json_put_string(FILE *f, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;

    fputc('"', f);
    while (*s) {
        int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", f);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(f, "\\%c", *s);
        } else if (*s < 0x20) {
            fprintf(f, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)n, f);
        }
        s += n;
    }
    fputc('"', f);
}

void cw_json_put_number(FILE *f, double x)
{
    char text[40];

    if (!isfinite(x)) {
        fputs("null", f);
        return;
    }
    if (x == floor(x) && fabs(x) < 0x1p53) {
        fprintf(f, "%lld", (long long)x);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, f);
}
