/* expander.c - prints a source with its plain macros in place (source/vendor_macros.h): expander FILE
 * [options] */
#include "../../analyzer/kernels/source/vendor_macros.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char source[1 << 20];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    size_t n = f ? fread(source, 1, sizeof source - 1, f) : 0;
    char *text = n ? cw_expanded_macros(source, argc > 2 ? argv[2] : NULL) : NULL;

    if (!text)
        return 2;
    fputs(text, stdout);
    free(text);
    return fclose(f) != 0;
}
