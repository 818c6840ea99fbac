#include "svg_text.h"
#include "../../io/text.h"
#include "../../../sched/whole.h"

#include <string.h>

#define EM_PER_CHARACTER 0.61

static size_t characters(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

double cw_svg_text_width(const char *s, double size)
{
    return (double)characters(s) * size * EM_PER_CHARACTER;
}

const char *cw_svg_text_fit(const char *s, double size, double width, char *out, size_t bytes)
{
    double room = width / (size * EM_PER_CHARACTER);
    size_t fits = cw_whole_from(room, SIZE_MAX), n = 0;

    if (characters(s) <= fits && strlen(s) < bytes) {
        strcpy(out, s);
        return out;
    }
    out[0] = '\0';
    if (fits < 2 || bytes < 8)
        return out;
    for (fits--; *s; s++) { /* one character for the ellipsis */
        if (((unsigned char)*s & 0xc0) != 0x80 && fits-- == 0)
            break;
        if (n + 4 >= bytes)
            break;
        out[n++] = *s;
    }
    while (n > 0 && ((unsigned char)out[n - 1] & 0xc0) == 0x80 && ((unsigned char)*s & 0xc0) == 0x80)
        n--; /* `bytes` ran out inside a character */
    strcpy(out + n, "\u2026");
    return out;
}

void cw_svg_text_escape(FILE *f, const char *s)
{
    size_t length;

    for (; *s; s += length ? length : 1) {
        char c = *s;

        length = cw_printable_length(s, strnlen(s, 4));
        if (c == '<')
            fputs("&lt;", f);
        else if (c == '>')
            fputs("&gt;", f);
        else if (c == '&')
            fputs("&amp;", f);
        else if (c == '"')
            fputs("&quot;", f);
        else if (length && c != '\n' && c != '\t')
            fwrite(s, 1, length, f);
        else
            fputc('?', f);
    }
}

void cw_svg_text(FILE *f, double x, double y, double size, const char *anchor, const char *fill,
                 const char *attributes, const char *s)
{
    fprintf(f, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\" %s>", x, y, size,
            anchor, fill, attributes);
    cw_svg_text_escape(f, s);
    fputs("</text>\n", f);
}
