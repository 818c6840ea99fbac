/* fuzz.c - mutated sources for the rewriter: whatever it is given it must return, soon, and say why it
 * refuses.
 *
 *   fuzz SEED SECONDS FILE...     each case is a file with a few bytes or words changed, doubled, moved or
 * taken from another
 *
 * Exits with 1 after a case that takes longer than a second or is answered badly, which is written to the
 * file that CASE (environment) names; crashes are the sanitizers' to report: the same seed meets them again.
 */
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FILES = 256, ROOM = 1 << 20 };

static char *file[MAX_FILES], text[ROOM + 1], options[256];
static size_t file_size[MAX_FILES], files, size;
static unsigned long long state;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state >> 11) % n : 0;
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void insert(size_t at, const char *what, size_t length)
{
    if (size + length > ROOM)
        return;
    memmove(text + at + length, text + at, size - at);
    memmove(text + at, what, length);
    size += length;
}

static void erase(size_t at, size_t length)
{
    length = length < size - at ? length : size - at;
    memmove(text + at, text + at + length, size - at - length);
    size -= length;
}

static const char *const words[] = {
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "=",
    "#",
    "##",
    "\n#if A\n",
    "\n#else\n",
    "\n#elif 1\n",
    "\n#elif B\n",
    "\n#endif\n",
    "\n#if 0\n",
    "\n#if 1\n",
    "\n#define M(x) x##y\n",
    "\n#define K kernel void\n",
    "\n#define G get_global_id(0)\n",
    "\n#undef K\n",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\\ \n",
    "\r\n",
    "\"",
    "'",
    "get_global_id",
    "get_group_id(0)",
    "__attribute__((",
    "kernel void",
    "typedef",
    "struct",
    "^",
    "...",
    "void",
    "__LINE__",
    "__cw_t",
    "?\?/\n",
    "<:",
    "%:",
    "$",
    "\xff",
    "#include \"x\"\n",
    "\n#define F(",
    "0x1e+",
    ".5",
    "L\"",
    "\n#",
    "asm",
    "extern \"C\" {",
};

static void mutate(void)
{
    size_t at = below(size + 1), length = 1 + below(below(8) ? 12 : 400);
    const char *word = words[below(sizeof words / sizeof *words)];
    size_t other = below(files), from = below(file_size[other] + 1);
    static char part[ROOM];

    switch (below(6)) {
    case 0:
        erase(at, length);
        break;
    case 1:
        length = length < size - at ? length : size - at;
        memcpy(part, text + at, length);
        insert(below(size + 1), part, length);
        break;
    case 2:
        insert(at, word, strlen(word));
        break;
    case 3:
        if (at < size)
            text[at] = (char)(1 + below(255));
        break;
    case 4:
        insert(at, file[other] + from, length < file_size[other] - from ? length : file_size[other] - from);
        break;
    default: /* many of one kind */
        for (size_t n = below(2) ? below(300) : below(8); n > 0; n--)
            insert(at, word, strlen(word));
    }
}

static void keep_case(const char *path)
{
    FILE *f = path ? fopen(path, "w") : NULL;

    if (f) {
        fwrite(text, 1, size, f);
        fclose(f);
    }
}

static const char *header(void *context, size_t unit, const char *name, const char *includer)
{
    (void)context;
    (void)unit;
    (void)includer;
    return name[0] == 'x' ? text : name[0] == 'y' ? "#pragma once\nint y(int);\n" : NULL; /* x: itself */
}

static int one_case(void)
{
    const char *name[] = {"k", "a"};
    struct cw_rewrite_unit unit[2] = {{text, below(3) ? NULL : options}, {file[below(files)], NULL}};
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms,
                               .unit = unit,
                               .units = 1 + below(2),
                               .kernel = name,
                               .kernels = 2,
                               .read_header = header};
    struct cw_rewrite_out out;
    double begin = seconds(CLOCK_PROCESS_CPUTIME_ID); /* a busy machine is no hang */
    int bad;

    if (cw_rewrite(&in, &out, NULL) != CW_OK)
        return 1;
    bad =
        seconds(CLOCK_PROCESS_CPUTIME_ID) - begin > 1 || (!out.source && !out.reason[0]) || out.kernels != 2;
    for (size_t u = 0; out.source && u < out.units; u++)
        bad |= !out.source[u];
    cw_rewrite_finish(&out);
    return bad;
}

/* Sources that end in the middle, at any number of tokens: nobody may look behind the last one. */
static int short_sources(void)
{
    static const char *const last[] = {"a", "(", "#", "#define", "#if", "^", "1"};

    for (size_t k = 0; k < sizeof last / sizeof *last; k++)
        for (size_t names = 0; names < 300; names++) {
            size = 0;
            for (size_t i = 0; i < names; i++)
                insert(size, i % 9 ? "a " : "a\n", 2);
            insert(size, last[k], strlen(last[k]));
            text[size] = '\0';
            if (one_case())
                return 1;
        }
    return 0;
}

/* The files that are named from argv[3] on, but for empty ones. */
static bool read_files(int argc, char **argv)
{
    for (int i = 3; i < argc && files < MAX_FILES; i++) {
        FILE *f = fopen(argv[i], "r");
        file[files] = calloc(ROOM + 1, 1);
        if (!f || !file[files])
            return false;
        file_size[files] = fread(file[files], 1, ROOM / 4, f);
        fclose(f);
        if (file_size[files] > 0)
            files++;
        else
            free(file[files]);
    }
    return files > 0;
}

int main(int argc, char **argv)
{
    double end = seconds(CLOCK_MONOTONIC) + (argc > 2 ? atof(argv[2]) : 0);
    unsigned long cases = 0;

    if (!read_files(argc, argv))
        return 2;
    state = 88172645463325252ull ^ strtoull(argv[1], NULL, 0) * 0x9E3779B97F4A7C15ull;
    if (short_sources()) {
        printf("a source that ends too early\n");
        return 1;
    }
    for (; seconds(CLOCK_MONOTONIC) < end; cases++) {
        size_t which = below(files);
        size = file_size[which];
        memcpy(text, file[which], size);
        for (size_t n = 1 + below(8); n > 0; n--)
            mutate();
        text[size] = '\0';
        snprintf(options, sizeof options, "-D%.*s -I. '-DX=%.*s", (int)below(20), text + below(size),
                 (int)below(20), text + below(size));
        if (one_case()) {
            keep_case(getenv("CASE"));
            printf("case %lu of seed %s\n", cases, argv[1]);
            return 1;
        }
    }
    printf("%lu cases\n", cases);
    return 0;
}
