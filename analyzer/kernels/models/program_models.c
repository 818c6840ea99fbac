/* program_models.c - see program_models.h. */
#include "program_models.h"
#include "../footprint/model_file.h"
#include "../../io/folders.h"
#include "../../io/quiet_child.h"
#include "../source/vendor_macros.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cw_program_reach {
    struct cw_model_set set;
};

struct cw_program_reach *cw_program_reach_create(struct cw_models_source *s, const char *source,
                                                 const char *options, const struct cw_models_vendor *vendor,
                                                 struct cw_error *err)
{
    struct cw_program_reach *p = malloc(sizeof *p);

    if (!p)
        cw_error_set(err, CW_ERR_NOMEM, "out of memory for models");
    else if (cw_program_models_get(s, source, options, vendor, &p->set, NULL, err) == CW_OK)
        return p;
    free(p);
    return NULL;
}

void cw_program_reach_destroy(struct cw_program_reach *p)
{
    if (p)
        cw_model_set_finish(&p->set);
    free(p);
}

struct cw_reacher *cw_program_reach_kernel(const struct cw_program_reach *p, const char *kernel,
                                           uint32_t pieces)
{
    const struct cw_model *m = cw_model_set_find(&p->set, kernel);

    return m ? cw_reacher_create(m, pieces) : NULL;
}

const struct cw_model *cw_program_reach_model(const struct cw_program_reach *p, const char *kernel)
{
    return cw_model_set_find(&p->set, kernel);
}

bool cw_program_reach_says(const struct cw_program_reach *p, const char *kernel, bool *elsewhere,
                           bool *addresses)
{
    const struct cw_model *m = cw_model_set_find(&p->set, kernel);

    if (m) {
        *elsewhere = m->anywhere;
        *addresses = m->addresses;
    }
    return m != NULL;
}

#if !defined CW_FOOTPRINT_SOURCES || !defined CW_FOOTPRINT_LLVM
#error "the build says which version of the analysis this is, and of which LLVM"
#endif

#define MODELS_KIND "models 3"
#define MACROS_KIND "macros 4"

enum { ANSWER_BYTES = 32 << 20, HELPER_SECONDS = 10, HELPER_MIB = 2048, FIXED_WORDS = 8 };

/* ---- where things are */

/* Sets `to` to the clweave-footprint of this installation, or to "". */
static void find_helper(char to[PATH_MAX])
{
    const char *named = secure_getenv("CLWEAVE_FOOTPRINT");
    char here[PATH_MAX];
    Dl_info info;

    if (named && *named) {
        if (snprintf(to, PATH_MAX, "%s", named) >= PATH_MAX || access(to, X_OK) != 0)
            *to = '\0';
        return;
    }
    if (!dladdr((void *)(uintptr_t)cw_program_models_init, &info) || !info.dli_fname ||
        !realpath(strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe", here) ||
        !cw_helper_tool_beside(here, "clweave-footprint", to))
        *to = '\0';
}

static const char *variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

void cw_program_models_init(struct cw_models_source *s, const char *folder)
{
    s->asker = NULL;
    *s->helper = '\0';
    find_helper(s->helper);
    snprintf(s->path, sizeof s->path, "PATH=%.*s", PATH_MAX,
             variable("PATH", "/usr/local/bin:/usr/bin:/bin"));
    snprintf(s->clang, sizeof s->clang, "CLWEAVE_CLANG=%.*s", PATH_MAX, variable("CLWEAVE_CLANG", ""));
    snprintf(s->temporary, sizeof s->temporary, "TMPDIR=%.*s", PATH_MAX, variable("TMPDIR", "/tmp"));
    s->flags_added = *variable("POCL_EXTRA_BUILD_FLAGS", "");
    cw_file_store_init(&s->store, folder);
}

/* ---- the question */

/* The helper's command line, and the identity of its answer. */
struct question {
    const char **words;
    size_t n;
    char *options;         /* the words are in here */
    char *source;          /* the program's, behind the vendor's macros */
    struct cw_identity id; /* all that the answer depends on */
};

static void finish_question(struct question *q)
{
    free(q->words);
    free(q->options);
    free(q->source);
    cw_identity_finish(&q->id);
}

#define SPECIAL "\"'\\`$\t\r\n\v\f"

/* A folder of headers in quotes. The source has its headers in it. */
static bool is_quoted_folder(const char *word)
{
    size_t length = strlen(word);

    return !strncmp(word, "-I", 2) && length > 4 && (word[2] == '"' || word[2] == '\'') &&
           word[length - 1] == word[2] && strcspn(word + 3, SPECIAL) == length - 4;
}

/* The build options at blanks. Other quotes, white space at which rusticl does not divide and PoCL does, and
 * words that are the helper's or a compiler driver's own, are not options. */
static enum cw_status add_options(struct question *q, const char *options, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    char *rest = NULL;

    q->options = strdup(options ? options : "");
    /* a word takes two bytes, with its blank */
    q->words = q->options ? malloc((strlen(q->options) / 2 + 1) * sizeof *q->words) : NULL;
    if (!q->words)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");
    for (char *w = strtok_r(q->options, " ", &rest); w && status == CW_OK; w = strtok_r(NULL, " ", &rest)) {
        if (is_quoted_folder(w))
            continue;
        if (strpbrk(w, SPECIAL))
            return cw_error_set(err, CW_ERR_UNSUPPORTED, "build options with quotes, tabs or line ends");
        if (!strncmp(w, "--", 2) || *w == '@')
            return cw_error_set(err, CW_ERR_UNSUPPORTED, "build option '%s' is not known", w);
        if (!strcmp(w, "-cl-opt-disable")) /* of a struct that is copied no store to the members shows that
                                              have no value */
            return cw_error_set(err, CW_ERR_UNSUPPORTED,
                                "with build option '%s' members without a value are written, too", w);
        q->words[q->n++] = w;
    }
    return status;
}

/* Of the build options those by which a compiler defines macros of its own; the caller's to free. NULL: out
 * of memory. */
static char *language_options(const char *options)
{
    char *saved = malloc(strlen(options) + 2), *to = saved;

    for (const char *p = options + strspn(options, " \t\n"), *end; saved && *p;
         p = end + strspn(end, " \t\n")) {
        end = p + strcspn(p, " \t\n");
        if (strncmp(p, "-cl-", 4))
            continue;
        to = mempcpy(to, p, (size_t)(end - p));
        *to++ = ' ';
    }
    if (saved)
        *to = '\0';
    return saved;
}

/* values[0..names->n-1], as an earlier run has kept them. */
static bool macros_from_store(struct cw_models_source *s, const struct cw_identity *id, size_t n,
                              struct cw_macro_value *values)
{
    size_t bytes = 0, expected = n * sizeof *values;
    char *saved = cw_file_store_read(&s->store, id, &bytes);
    bool good = saved && bytes == expected;

    if (good)
        memcpy(values, saved, expected);
    free(saved);
    return good;
}

static bool ask_vendor(struct cw_models_source *s, const struct cw_models_vendor *v, const char *options,
                       const struct cw_tested_names *names, struct cw_macro_value *values)
{
    size_t bytes = 0;
    char *language = v && v->identity ? language_options(options) : NULL;
    char *words = language ? cw_macro_words(v->identity, language, names->v, names->n, &bytes) : NULL;
    struct cw_identity id;
    bool answered;

    cw_identity_begin(&id, MACROS_KIND);
    cw_identity_add(&id, words, bytes);
    answered = words && macros_from_store(s, &id, names->n, values);
    if (words && !answered) {
        answered = (s->asker && cw_macro_child_ask(s->asker, words, bytes, values, names->n)) ||
                   (v->ask && v->ask(v->data, language, names->v, names->n, values));
        if (answered)
            cw_file_store_write(&s->store, &id, values, names->n * sizeof *values);
    }
    cw_identity_finish(&id);
    free(words);
    free(language);
    return answered;
}

/* An operator of the compiler's, such as __has_builtin, or its answer to one name. */
static void write_question(FILE *f, const char *name, size_t operator, const char * asked, size_t length,
                           const struct cw_macro_value *value)
{
    int n = (int)operator;

    if (!asked)
        fprintf(f, "#undef %.*s\n", n, name);
    if (!asked && value->kind == CW_MACRO_NUMBER)
        fprintf(f, "#define %.*s(x) cw%.*s_##x\n", n, name, n, name);
    if (asked && value->kind == CW_MACRO_NUMBER)
        fprintf(f, "#define cw%.*s_%.*s 1\n", n, name, (int)length, asked);
}

static void write_value(FILE *f, const char *name, size_t i, const struct cw_macro_value *value)
{
    const char *asked;
    size_t length, operator= cw_tested_names_question(name, &asked, &length);

    if (operator) {
        write_question(f, name, operator, asked, length, value);
        return;
    }
    fprintf(f, "#undef %s\n", name);
    if (value->kind == CW_MACRO_NUMBER)
        fprintf(f, "#define %s %" PRId64 "\n", name, value->number);
    if (value->kind == CW_MACRO_FLOAT || value->kind == CW_MACRO_DOUBLE)
        fprintf(f, "extern constant %s cw_number_%zu;\n#define %s cw_number_%zu\n",
                value->kind == CW_MACRO_FLOAT ? "float" : "double", i, name, i);
}

/* Functions that are not known stand for texts that differ from build to build. */
static void write_dates(FILE *f)
{
    fputs("constant char (*cw_date(void))[12];\n#undef __DATE__\n#define __DATE__ (*cw_date())\n"
          "constant char (*cw_time(void))[9];\n#undef __TIME__\n#define __TIME__ (*cw_time())\n"
          "constant char (*cw_stamp(void))[25];\n#undef __TIMESTAMP__\n#define __TIMESTAMP__ (*cw_stamp())\n",
          f);
}

/* The source behind definitions of the vendor's macros. They cannot be options, since clang's own header of
 * OpenCL C, which defines some of them, comes after these. A non-integer becomes an unknown value: footprints
 * must not rest on the last digit of a vendor's M_PI. */
static enum cw_status join_source(struct question *q, const struct cw_tested_names *names,
                                  const struct cw_macro_value *values, const char *source,
                                  struct cw_error *err)
{
    size_t bytes = 0;
    FILE *f = open_memstream(&q->source, &bytes);
    enum cw_status status = CW_OK;

    for (size_t i = 0; f && i < names->n; i++) {
        if (names->given[i] ? values[i].kind != CW_MACRO_UNDEFINED : values[i].kind == CW_MACRO_OTHER)
            status = cw_error_set(err, CW_ERR_UNSUPPORTED, "the vendor's macro %s cannot be handed on",
                                  names->v[i]);
        if (!names->given[i])
            write_value(f, names->v[i], i, &values[i]);
    }
    if (f && names->dated)
        write_dates(f);
    if (f && (names->n || names->dated))
        fputs("#line 1\n", f);
    if (f)
        fputs(source, f);
    if (!f || fclose(f) != 0 || !q->source)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a source");
    return status;
}

/* Sets q->source. */
static enum cw_status add_macros(struct cw_models_source *s, struct question *q, const char *source,
                                 const char *options, const struct cw_models_vendor *vendor,
                                 struct cw_error *err)
{
    struct cw_macro_value values[CW_TESTED_NAMES_MAX] = {{0}};
    enum cw_status status = CW_OK;
    struct cw_tested_names names;

    if (!cw_tested_names_init(&names, source, options))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a source");
    else if (names.unknowable)
        status = cw_error_set(err, CW_ERR_UNSUPPORTED,
                              "the source depends on what its compiler defines, in ways not followed");
    else if (names.n && !ask_vendor(s, vendor, options ? options : "", &names, values))
        status = cw_error_set(err, CW_ERR_UNSUPPORTED, "it is not known whether the vendor defines %s",
                              names.v[0]);
    if (status == CW_OK)
        status = join_source(q, &names, values, source, err);
    cw_tested_names_finish(&names);
    return status;
}

/* Everything that the answer depends on. */
static enum cw_status name_question(const struct cw_models_source *s, struct question *q,
                                    struct cw_error *err)
{
    cw_identity_begin(&q->id, MODELS_KIND);
    cw_identity_number(&q->id, CW_MODEL_VERSION);
    cw_identity_text(&q->id, CW_FOOTPRINT_SOURCES);
    cw_identity_text(&q->id, s->clang);
    for (size_t i = 0; i < q->n; i++)
        cw_identity_text(&q->id, q->words[i]);
    cw_identity_text(&q->id, q->source);
    return q->id.failed ? cw_error_set(err, CW_ERR_NOMEM, "out of memory for a source") : CW_OK;
}

/* ---- answers */

static bool is_headed(const char *text, size_t n)
{
    static const char head[] = "{\"format\":\"clweave-footprint\"";

    return text && n >= sizeof head && !memcmp(text, head, sizeof head - 1);
}

/* Answers that would be the same tomorrow: models, and refusals that lie in the source. */
static bool is_lasting(const char *text, size_t n)
{
    static const enum cw_status lasting[] = {CW_ERR_FORMAT, CW_ERR_UNSUPPORTED, CW_ERR_INVALID};
    char words[80];

    if (!is_headed(text, n) || text[n - 1] != '\n')
        return false;
    if (!memmem(text, n < 300 ? n : 300, "\"error\":", 8))
        return true;
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++) {
        snprintf(words, sizeof words, "\"status\":\"%s\"", cw_status_string(lasting[i]));
        if (memmem(text, n < 300 ? n : 300, words, strlen(words)))
            return true;
    }
    return false;
}

/* False: nothing fitting is stored. */
static bool from_store(struct cw_models_source *s, const struct question *q, struct cw_model_set *set,
                       enum cw_status *status, struct cw_error *err)
{
    size_t bytes = 0;
    char *saved = cw_file_store_read(&s->store, &q->id, &bytes);

    if (saved)
        *status = cw_model_set_read(set, "kept models", saved, bytes, err);
    free(saved);
    return saved && (*status == CW_OK || *status == CW_ERR_UNSUPPORTED);
}

const char *cw_program_models_llvm(void)
{
    return CW_FOOTPRINT_LLVM;
}

enum cw_status cw_program_models_no_answer(const char *helper, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_IO,
                        "%.150s gave no answer. If it cannot start here, `ldd %.150s` names what is missing: "
                        "it needs LLVM and "
                        "clang of version " CW_FOOTPRINT_LLVM " (Debian: libllvm" CW_FOOTPRINT_LLVM
                        ", clang-" CW_FOOTPRINT_LLVM ")",
                        helper, helper);
}

/* Reads the helper's output. Another program's output is not reported as a syntax error in a file. */
static enum cw_status read_answer(const char *helper, const struct cw_quiet_output *out,
                                  struct cw_model_set *set, struct cw_error *err)
{
    struct cw_error own = {0};
    enum cw_status status;

    if (!out->data || !out->bytes)
        return cw_program_models_no_answer(helper, err);
    status = cw_model_set_read(set, helper, out->data, out->bytes, &own);
    if (status == CW_ERR_VERSION || (status == CW_ERR_FORMAT && !is_headed(out->data, out->bytes)))
        return cw_error_set(err, CW_ERR_VERSION,
                            "%.200s is not the clweave-footprint of this clweave: install both from one "
                            "build, or name the right "
                            "one in CLWEAVE_FOOTPRINT",
                            helper);
    if (status)
        cw_error_set(err, status, "%s", own.text);
    return status;
}

static enum cw_status from_helper(struct cw_models_source *s, const struct question *q,
                                  struct cw_model_set *set, struct cw_error *err)
{
    char seconds[16], mib[16];
    const char *const fixed[] = {s->helper, "--models", "--seconds", seconds, "--mib", mib};
    const char **argv = malloc((q->n + FIXED_WORDS) * sizeof *argv);
    const char *env[] = {s->path, s->clang, s->temporary, "LC_ALL=C", NULL};
    struct cw_quiet_child child = {.env = env,
                                   .input = q->source,
                                   .input_bytes = strlen(q->source),
                                   .max_bytes = ANSWER_BYTES,
                                   .milliseconds = CW_MODELS_MILLISECONDS};
    struct cw_quiet_output out;
    enum cw_status status;
    size_t n = 6;

    if (!*s->helper || !argv) {
        free(argv);
        return *s->helper ? cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options")
                          : cw_error_set(err, CW_ERR_NOTFOUND, CW_MODELS_NO_HELPER);
    }
    memcpy(argv, fixed, sizeof fixed);
    snprintf(seconds, sizeof seconds, "%d", HELPER_SECONDS);
    snprintf(mib, sizeof mib, "%d", HELPER_MIB);
    for (size_t i = 0; i < q->n; i++)
        argv[n++] = q->words[i];
    argv[n++] = CW_QUIET_CHILD_FILE;
    argv[n] = NULL;
    child.argv = argv;
    status = cw_quiet_child_run(&child, &out, err);
    if (status == CW_OK)
        status = read_answer(s->helper, &out, set, err);
    if ((status == CW_OK || status == CW_ERR_UNSUPPORTED) && is_lasting(out.data, out.bytes))
        cw_file_store_write(&s->store, &q->id, out.data, out.bytes);
    cw_quiet_output_finish(&out);
    free(argv);
    return status;
}

enum cw_status cw_program_models_get(struct cw_models_source *s, const char *source, const char *options,
                                     const struct cw_models_vendor *vendor, struct cw_model_set *set,
                                     bool *saved, struct cw_error *err)
{
    struct question q = {.n = 0};
    struct cw_error stored = {0};
    enum cw_status status = CW_OK;
    bool found = false, asked = false;

    if (s->flags_added)
        status = cw_error_set(err, CW_ERR_UNSUPPORTED, "POCL_EXTRA_BUILD_FLAGS changes what is built");
    if (status == CW_OK)
        status = add_macros(s, &q, source, options, vendor, err);
    if (status == CW_OK)
        status = add_options(&q, options, err);
    if (status == CW_OK)
        status = name_question(s, &q, err);
    asked = status == CW_OK;
    if (asked && (found = from_store(s, &q, set, &status, &stored)) && status != CW_OK)
        cw_error_set(err, status, "%s", stored.text);
    if (asked && !found)
        status = from_helper(s, &q, set, err);
    finish_question(&q);
    if (saved)
        *saved = found;
    return status;
}

bool cw_program_models_bear_out(void *set, const char *kernel, const struct cw_rw_rows *form, uint64_t key)
{
    const struct cw_model *m = cw_model_set_find(set, kernel);

    (void)form;
    return m && m->rows == (int64_t)key;
}
