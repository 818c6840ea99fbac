/* run_binary.c - see run_binary.h. */
#include "run_binary.h"

#include <stdlib.h>
#include <string.h>

#include "../hooks/run_hooks.h"
#include "run_macros.h"
#include "run_models.h"

#define IDENTITY_BYTES 4096

/* A second hash, of another kind, so that the two together are no accident: a 64-bit multiply and shift per word. */
static uint64_t other_hash(const unsigned char *p, size_t bytes)
{
    uint64_t h = bytes * UINT64_C(0x9e3779b97f4a7c15), word;

    for (; bytes >= 8; p += 8, bytes -= 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    for (; bytes; p++, bytes--)
        h = (h ^ *p) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 29;
}

/* What a file begins with: all of it must be the same. */
struct head {
    char kind[16];
    uint64_t bytes, hash, other;
};

static struct head head_of(const unsigned char *binary, size_t bytes)
{
    return (struct head){.kind = "binary 1", .bytes = bytes, .hash = cw_file_store_hash(CW_FILE_STORE_HASH, binary, bytes),
                         .other = other_hash(binary, bytes)};
}

static uint64_t key_of(const struct head *h)
{
    return cw_file_store_hash(CW_FILE_STORE_HASH, h, sizeof *h);
}

static bool identity_of(const struct cw_slots *slots, char text[IDENTITY_BYTES])
{
    struct cw_run_compilers c = {.n = 0};

    for (size_t i = 0; i < slots->n; i++)
        if (!cw_run_compilers_add(&c, slots->slot[i].device))
            return false;
    return cw_run_compilers_identity(&c, text, IDENTITY_BYTES);
}

void cw_run_binary_keep(const struct cw_run_program *p, const char *source, const char *options, cl_uint n,
                        const size_t *bytes, unsigned char *const *binaries)
{
    char identity[IDENTITY_BYTES], *text, *to;
    size_t length = sizeof(struct head);

    if (getenv("POCL_EXTRA_BUILD_FLAGS") || !identity_of(p->context->slots, identity))
        return;
    length += strlen(identity) + strlen(source) + strlen(options) + 3;
    text = malloc(length);
    for (cl_uint i = 0; text && i < n; i++) {
        struct head h;
        if (!binaries[i] || !bytes[i])
            continue;
        h = head_of(binaries[i], bytes[i]);
        to = mempcpy(text, &h, sizeof h);
        to = stpcpy(stpcpy(to, identity) + 1, options) + 1;
        memcpy(to, source, strlen(source) + 1);
        cw_file_store_write(cw_run_models_store(), key_of(&h), text, length);
    }
    free(text);
}

/* What one binary came from: *options points into the result, the source is behind it. NULL: not known. */
static char *find_one(const char *identity, const unsigned char *binary, size_t bytes, const char **options)
{
    struct head h = head_of(binary, bytes);
    size_t length = 0, n = sizeof h;
    char *text = cw_file_store_read(cw_run_models_store(), key_of(&h), &length);
    bool good = text && length > n && !text[length - 1] && !memcmp(text, &h, n) && !strcmp(text + n, identity);

    if (good) {
        n += strlen(text + n) + 1;
        *options = text + n;
        good = n < length && n + strlen(*options) + 1 < length;
    }
    if (good)
        return text;
    free(text);
    return NULL;
}

bool cw_run_binary_find(const struct cw_slots *slots, cl_uint n, const size_t *bytes, const unsigned char *const *binaries,
                        char **source, char **options)
{
    char identity[IDENTITY_BYTES];
    bool good = n > 0 && identity_of(slots, identity);

    *source = *options = NULL;
    for (cl_uint i = 0; good && i < n; i++) {
        const char *o = NULL, *s;
        char *text = binaries[i] && bytes[i] ? find_one(identity, binaries[i], bytes[i], &o) : NULL;
        good = text;
        s = text ? o + strlen(o) + 1 : NULL;
        if (good && i == 0) {
            *source = strdup(s);
            *options = strdup(o);
            good = *source && *options;
        } else if (good) {
            good = !strcmp(*source, s) && !strcmp(*options, o);
        }
        free(text);
    }
    if (good)
        return true;
    free(*source);
    free(*options);
    *source = *options = NULL;
    return false;
}
