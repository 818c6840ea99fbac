/* spirv.c - see spirv.h. Numbers of instructions and operands: SPIR-V specification, sections 3 "Binary Form"
 * and 3.52 "Instructions". */
#include "spirv.h"
#include "code_text.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 5, MAGIC = 0x07230203, LAST_VERSION = 0x00010600, IDS_MAX = 4194304 };

enum {
    OP_NAME = 5,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_CONSTANT_COMPOSITE = 44,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_COMPOSITE = 51,
    OP_FUNCTION = 54,
    OP_DECORATE = 71,
    OP_EXECUTION_MODE_ID = 331,
};

enum { DECORATION_SPEC_ID = 1, DECORATION_BUILT_IN = 11, DECORATION_LINKAGE = 41, LINKAGE_IMPORT = 1 };
enum { BUILT_IN_WORKGROUP_SIZE = 25, MODEL_KERNEL = 6, PHYSICAL64 = 2 };
enum { MODE_LOCAL_SIZE = 17, MODE_SUBGROUP_SIZE = 35, MODE_LOCAL_SIZE_ID = 38 };

/* One instruction. */
struct step {
    uint32_t *word; /* of its first operand */
    uint32_t op, n; /* operands */
};

/* The instruction at word *at of `words`, which moves behind it; false: there is none. */
static bool next(uint32_t *word, size_t words, size_t *at, struct step *s)
{
    size_t length = *at < words ? word[*at] >> 16 : 0;

    if (!length || length > words - *at)
        return false;
    *s = (struct step){word + *at + 1, word[*at] & 0xffff, (uint32_t)length - 1};
    *at += length;
    return true;
}

bool cw_spirv_is(const void *bytes, size_t n)
{
    uint32_t magic = 0;

    if (n >= sizeof magic)
        memcpy(&magic, bytes, sizeof magic);
    return magic == MAGIC || magic == __builtin_bswap32(MAGIC);
}

static const char *fault_of_header(const uint32_t *word, size_t n)
{
    if (n > CW_SPIRV_BYTES_MAX)
        return "it is longer than 16 MiB";
    if (n >= sizeof *word && word[0] == __builtin_bswap32(MAGIC))
        return "it is in the other byte order";
    if (n >= 2 * sizeof *word && word[1] > LAST_VERSION)
        return "its version is behind 1.6";
    return NULL;
}

enum cw_status cw_spirv_check(const void *bytes, size_t n, struct cw_error *err)
{
    uint32_t *word = (uint32_t *)(uintptr_t)bytes, kernels = 0;
    const char *fault = cw_spirv_is(bytes, n) ? fault_of_header(word, n) : NULL;
    size_t at = HEADER, words = n / sizeof *word;
    bool wide = false;
    struct step s;

    if (fault)
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "the SPIR-V module is not read: %s", fault);
    if (!cw_spirv_is(bytes, n) || n % sizeof *word || words < HEADER || word[3] > IDS_MAX)
        return cw_error_set(err, CW_ERR_FORMAT, "the SPIR-V module is damaged: its header is");
    while (next(word, words, &at, &s)) {
        wide |= s.op == OP_MEMORY_MODEL && s.n > 1 && s.word[0] == PHYSICAL64;
        kernels += s.op == OP_ENTRY_POINT && s.n > 1 && s.word[0] == MODEL_KERNEL;
    }
    if (at != words)
        return cw_error_set(err, CW_ERR_FORMAT, "the SPIR-V module is cut off or damaged at word %zu of %zu",
                            at, words);
    if (!wide || !kernels)
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "the SPIR-V module is not read: %s",
                            wide ? "it has no kernels" : "its addresses have not 64 bits");
    return CW_OK;
}

/* ---- specialisation constants */

/* Bytes of a number of the type; *extend: the sign fills the words of a short one. */
static size_t bytes_of(uint32_t *word, size_t words, uint32_t type, bool *extend)
{
    size_t at = HEADER;
    struct step s;

    while (next(word, words, &at, &s))
        if ((s.op == OP_TYPE_INT || s.op == OP_TYPE_FLOAT) && s.n > 1 && s.word[0] == type) {
            *extend = s.op == OP_TYPE_INT && s.n > 2 && s.word[2];
            return s.word[1] / 8;
        }
    return 0;
}

static bool set_number(uint32_t *word, size_t words, const struct step *s, const void *value, size_t size)
{
    bool extend = false;
    size_t bytes = bytes_of(word, words, s->word[0], &extend);
    uint64_t number = 0;
    unsigned unused = 64 - 8 * (unsigned)(size & 7 ? size : 8);

    if (bytes != size || (size != 1 && size != 2 && size != 4 && size != 8) || s->n != (size == 8 ? 4u : 3u))
        return false;
    memcpy(&number, value, size);
    if (extend && unused)
        number = (uint64_t)((int64_t)(number << unused) >> unused);
    memcpy(s->word + 2, &number, size == 8 ? 8 : 4);
    return true;
}

static bool set_constant(uint32_t *word, size_t words, uint32_t constant, const void *value, size_t size)
{
    size_t at = HEADER;
    struct step s;

    while (next(word, words, &at, &s)) {
        bool truth = s.op == OP_SPEC_CONSTANT_TRUE || s.op == OP_SPEC_CONSTANT_FALSE;
        if (s.n < 2 || s.word[1] != constant || (!truth && s.op != OP_SPEC_CONSTANT))
            continue;
        if (!truth)
            return set_number(word, words, &s, value, size);
        if (size == 1)
            s.word[-1] =
                (s.n + 1) << 16 | (*(const uint8_t *)value ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE);
        return size == 1;
    }
    return false;
}

bool cw_spirv_specialise(void *module, size_t n, uint32_t id, const void *value, size_t size)
{
    size_t at = HEADER, words = n / sizeof(uint32_t);
    bool found = false, good = true;
    struct step s;

    while (next(module, words, &at, &s))
        if (s.op == OP_DECORATE && s.n > 2 && s.word[1] == DECORATION_SPEC_ID && s.word[2] == id) {
            good &= set_constant(module, words, s.word[0], value, size);
            found = true;
        }
    return found && good;
}

bool cw_spirv_is_text(const char *text)
{
    const char *digits = cw_code_text_is(text) ? strchr(text, ' ') : NULL;

    return digits && !strncmp(digits + 1, "03022307", 8);
}

char *cw_spirv_specialised(const char *text, uint32_t id, const void *value, size_t size)
{
    size_t n;
    unsigned char *module = cw_code_text_bytes(text, &n);
    char *set =
        module && cw_spirv_check(module, n, NULL) == CW_OK && cw_spirv_specialise(module, n, id, value, size)
            ? cw_code_text(module, n)
            : NULL;

    free(module);
    return set;
}

/* ---- kernels and names */

/* `id` is a constant, and no variable. */
static bool is_composite(uint32_t *word, size_t words, uint32_t id)
{
    size_t at = HEADER;
    struct step s;

    while (next(word, words, &at, &s))
        if ((s.op == OP_CONSTANT_COMPOSITE || s.op == OP_SPEC_CONSTANT_COMPOSITE) && s.n > 1 &&
            s.word[1] == id)
            return true;
    return false;
}

bool cw_spirv_demands(const void *module, size_t n)
{
    uint32_t *word = (uint32_t *)(uintptr_t)module;
    size_t at = HEADER, words = n / sizeof *word;
    struct step s;

    while (next(word, words, &at, &s)) {
        if ((s.op == OP_EXECUTION_MODE || s.op == OP_EXECUTION_MODE_ID) && s.n > 1 &&
            (s.word[1] == MODE_LOCAL_SIZE ||
             (s.word[1] >= MODE_SUBGROUP_SIZE && s.word[1] <= MODE_LOCAL_SIZE_ID)))
            return true;
        if (s.op == OP_DECORATE && s.n > 2 && s.word[1] == DECORATION_BUILT_IN &&
            s.word[2] == BUILT_IN_WORKGROUP_SIZE && is_composite(word, words, s.word[0]))
            return true;
    }
    return false;
}

/* The name that the instruction gives word[0]; NULL: it gives none, or its end is missing. *import: of a
 * function in another module. */
static char *name_of(const struct step *s, bool *import)
{
    uint32_t first = s->op == OP_NAME ? 1 : 2;
    bool linkage = s->op == OP_DECORATE && s->n > 3 && s->word[1] == DECORATION_LINKAGE;
    char *name = (char *)(s->word + first);

    *import = linkage && s->word[s->n - 1] == LINKAGE_IMPORT;
    return (linkage || (s->op == OP_NAME && s->n > 1)) && memchr(name, '\0', (s->n - first) * sizeof *s->word)
               ? name
               : NULL;
}

bool cw_spirv_imports(const void *module, size_t n, const char *function)
{
    size_t at = HEADER, words = n / sizeof(uint32_t);
    const char *name;
    struct step s;
    bool import;

    while (next((uint32_t *)(uintptr_t)module, words, &at, &s))
        if ((name = name_of(&s, &import)) && import && !strcmp(name, function))
            return true;
    return false;
}

/* Marks those functions of the module that are not imported. */
static void find_functions(uint32_t *word, size_t words, uint8_t *is)
{
    enum { IMPORTED = 2 };
    size_t at = HEADER;
    struct step s;
    bool import;

    while (next(word, words, &at, &s)) {
        if (name_of(&s, &import) && import && s.word[0] < IDS_MAX)
            is[s.word[0]] = IMPORTED;
        if (s.op == OP_FUNCTION && s.n > 1 && s.word[1] < IDS_MAX && !is[s.word[1]])
            is[s.word[1]] = true;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the kernels, sorted; the caller frees the array. NULL: memory is out. */
static char **kernels_of(uint32_t *word, size_t words, size_t *n)
{
    size_t at = HEADER, room = 0;
    char **names = NULL, **more;
    struct step s;

    for (*n = 0; next(word, words, &at, &s);) {
        if (s.op != OP_ENTRY_POINT || s.n <= 2 || !memchr(s.word + 2, '\0', (s.n - 2) * sizeof *s.word))
            continue;
        if (*n == room) {
            room = 2 * room + 16;
            more = realloc(names, room * sizeof *names);
            if (!more) {
                free(names);
                return NULL;
            }
            names = more;
        }
        names[(*n)++] = (char *)(s.word + 2);
    }
    if (*n)
        qsort(names, *n, sizeof *names, by_name);
    return names ? names : calloc(1, sizeof *names);
}

bool cw_spirv_rename(void *module, size_t n)
{
    size_t at = HEADER, words = n / sizeof(uint32_t);
    uint8_t *is = calloc(IDS_MAX, sizeof *is); /* most of its pages stay untouched */
    size_t num_kernels;
    char **kernels = kernels_of(module, words, &num_kernels), *name;
    struct step s;
    bool import;

    if (!is || !kernels) {
        free(is);
        free(kernels);
        return false;
    }
    find_functions(module, words, is);
    while (next(module, words, &at, &s))
        if ((name = name_of(&s, &import)) && s.word[0] < IDS_MAX && is[s.word[0]] &&
            (!strncmp(name, "llvm.", 5) ||
             (is[s.word[0]] == true && (*name == '_' || !strcmp(name, "printf")))) &&
            !bsearch(&name, kernels, num_kernels, sizeof *kernels, by_name))
            *name = 'u';
    free(is);
    free(kernels);
    return true;
}
