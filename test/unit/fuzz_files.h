/* fuzz_files.h - damaged copies of the files of a corpus, each given to a reader: refused, or good for
 * everything. Deterministic. Tests start in the repository's root. Include after cmocka.h. */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t fuzz_seed = 88172645463325252u;

/* A number from 0 to `below` - 1. */
static inline uint32_t fuzz_draw(uint32_t below)
{
    fuzz_seed ^= fuzz_seed << 13;
    fuzz_seed ^= fuzz_seed >> 7;
    fuzz_seed ^= fuzz_seed << 17;
    return (uint32_t)(fuzz_seed >> 32) % below;
}

/* `text` with `word`, of 63 bytes at most, for the value behind the first of `before` at or after a random
 * place. The caller frees it. */
static inline char *fuzz_replace_value(const char *text, size_t n, const char *before, const char *word,
                                       size_t *length)
{
    size_t at = fuzz_draw((uint32_t)n), end;
    char *out = malloc(n + 64);

    while (at < n && !strchr(before, text[at]))
        at++;
    at += at < n;
    for (end = at; end < n && !strchr(",]}", text[end]);)
        end++;
    memcpy(out, text, at);
    *length = at + (size_t)sprintf(out + at, "%s", word);
    memcpy(out + *length, text + end, n - end);
    *length += n - end;
    return out;
}

struct fuzz_reader {
    const char *corpus; /* pattern of file names; each at most 1 MiB */
    long rounds;        /* damaged copies per file; CW_FUZZ_ROUNDS in the environment goes before */
    char *(*damage)(const char *text, size_t n, size_t *length); /* returns what free takes */
    bool (*accepts)(const char *text, size_t n);                 /* fails the test where neither is right */
};

static inline char *fuzz_read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);

    assert_non_null(f);
    *n = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

/* Damages one file `rounds` times and counts what became of it. */
static inline void fuzz_file(const struct fuzz_reader *r, const char *path, long rounds,
                             unsigned long *accepted, unsigned long *refused)
{
    size_t n, m;
    char *text = fuzz_read_file(path, &n);

    if (!r->accepts(text, n))
        fail_msg("%s itself is refused", path);
    while (rounds-- > 0) {
        /* a block of just its size, so that a sanitizer sees reads behind the end */
        char *damaged = r->damage(text, n, &m), *exact = malloc(m ? m : 1);
        memcpy(exact, damaged, m);
        free(damaged);
        *(r->accepts(exact, m) ? accepted : refused) += 1;
        free(exact);
    }
    free(text);
}

/* Fails when hardly anything is accepted or refused: the damage is too wild or too tame to mean anything
 * then. */
static inline void fuzz_files(const struct fuzz_reader *r)
{
    long rounds = getenv("CW_FUZZ_ROUNDS") ? atol(getenv("CW_FUZZ_ROUNDS")) : r->rounds;
    unsigned long accepted = 0, refused = 0;
    glob_t files;

    if (glob(r->corpus, 0, NULL, &files) != 0)
        fail_msg("no corpus: start in the repository's root");
    for (size_t i = 0; i < files.gl_pathc; i++)
        fuzz_file(r, files.gl_pathv[i], rounds, &accepted, &refused);
    globfree(&files);
    print_message("%lu damaged files refused, %lu still accepted\n", refused, accepted);
    assert_true(refused > 100 && accepted > 100);
}

#endif
