/* quantity.c - see quantity.h. */
#include "quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *cw_quantity_bytes(uint64_t bytes, char text[16])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes;
    size_t u = 0;

    while (v >= 1024 && u < 6) {
        v /= 1024;
        u++;
    }
    snprintf(text, 16, u == 0 || v == floor(v) ? "%.0f %s" : "%.1f %s", v, units[u]);
    return text;
}

const char *cw_quantity_ns(uint64_t ns, char text[16])
{
    if (ns < 1000)
        snprintf(text, 16, "%u ns", (unsigned)ns);
    else if (ns < 1000000)
        snprintf(text, 16, "%.1f us", (double)ns / 1e3);
    else if (ns < 1000000000)
        snprintf(text, 16, "%.2f ms", (double)ns / 1e6);
    else
        snprintf(text, 16, "%.2f s", (double)ns / 1e9);
    return text;
}

const char *cw_quantity_count(uint64_t n, const char *noun, char text[64])
{
    const char *of = strstr(noun, " of ");
    int head = (int)(of ? (size_t)(of - noun) : strlen(noun));
    bool hissing = head >= 2 && (!strncmp(noun + head - 2, "ch", 2) || noun[head - 1] == 's');

    snprintf(text, 64, "%llu %.*s%s%s", (unsigned long long)n, head, noun,
             n == 1    ? ""
             : hissing ? "es"
                       : "s",
             of ? of : "");
    return text;
}

const char *cw_quantity_verb(uint64_t n)
{
    return n == 1 ? "s" : "";
}
