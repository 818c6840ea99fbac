/* vendor_macros.h - a vendor's macros: values, the names that a source tests, questions to its compiler. */
#ifndef CW_VENDOR_MACROS_H
#define CW_VENDOR_MACROS_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../io/folders.h"

/* A vendor's macros: values, the names that a source tests, questions to its compiler. */

/* The answer of a vendor's compiler about one of its macros. */

/* The vendor's own macros on which the meaning of an OpenCL C source depends.
 *
 * Two compilers make the same program of a source if they agree on the names that its conditionals test, and
 * on the reserved names (__OPENCL_VERSION__, cl_khr_fp64, CL_VERSION_2_0 ...) that it uses. Names that the
 * source defines itself before it tests them, or that the options define, are the same for both; conditionals
 * that choose between pragmas of OpenCL's or #error only are harmless. A question in a conditional, such as
 * __has_builtin(popcount), counts as a name, beside __has_builtin itself; elsewhere its answer is not known.
 * (C11 6.10.1; OpenCL C 3.0, 6.12) */

#define CW_TESTED_NAMES_MAX 48

struct cw_tested_names {
    char *v[CW_TESTED_NAMES_MAX];    /* sorted, no two the same */
    bool given[CW_TESTED_NAMES_MAX]; /* an option defines it, which holds where the vendor does not */
    size_t n;
    bool dated;      /* __DATE__, __TIME__ or __TIMESTAMP__ is in it */
    bool unknowable; /* more names, an #include, __LINE__ and the like, or text that hides directives */
};

/* Reads `source` and `options` (NULL allowed). False: out of memory. Finish it either way. Any text is
 * accepted. */
bool cw_tested_names_init(struct cw_tested_names *names, const char *source, const char *options);
/* The length of the operator at the beginning of `name`, such as __has_builtin, of which *asked becomes what
 * stands in brackets behind it, NULL: nothing; 0: the name is no such question. */
size_t cw_tested_names_question(const char *name, const char **asked, size_t *length);
void cw_tested_names_finish(struct cw_tested_names *names);

/* About a name that a source tests. */
enum cw_macro_kind {
    CW_MACRO_UNDEFINED,
    CW_MACRO_NUMBER,
    CW_MACRO_OTHER,
    CW_MACRO_FLOAT, /* a constant of OpenCL C's: some number of this type */
    CW_MACRO_DOUBLE
};
struct cw_macro_value {
    enum cw_macro_kind kind;
    int64_t number;
};

/* The vendor's compiler is asked for its macros (vendor_compiler.h) in a process of its own.
 *
 * PoCL builds one program at a time in a process: a question of clweave would wait for the host's build, and
 * the host's next step for that question, a fifth of a second each. The process is the tool, found beside the
 * library and run so that the host does not notice (io/quiet_child.h), with the host's environment but for
 * the variables that load this library into it. It answers only for a device whose description is word for
 * word the one that was asked for; a caller without an answer asks in the host. */

/* The tool's first and only argument, by which it is that process (cli/main.c). */
#define CW_MACRO_CHILD_WORD "--vendor-macros"

/* The question, one word after the other with a NUL behind each: a version, the device's description, the
 * build options, then the names. The caller's to free. NULL: out of memory. */
char *cw_macro_words(const char *identity, const char *options, char *const *names, size_t n, size_t *bytes);

/* The same read again; pointers into `words`. False: these are none, or of another version. */
struct cw_macro_asked {
    const char *identity, *options;
    char *names[CW_TESTED_NAMES_MAX];
    size_t n;
};
bool cw_macro_words_read(char *words, size_t bytes, struct cw_macro_asked *asked);

/* The text before the values in an answer; behind them is nothing. */
#define CW_MACRO_ANSWER "macros\n"

/* Fills values[0..n-1] for `bytes` of words by running `tool`, clweave. False: no answer. The calling thread
 * has all signals blocked. */
bool cw_macro_child_ask(const struct cw_helper_tool *tool, const char *words, size_t bytes,
                        struct cw_macro_value *values, size_t n);

/* Asks a compiler of OpenCL C for its macros: a program without work whose kernels' names
 * tell.
 *
 * For each name that is defined there is a kernel whose name holds the text of the macro, if that is one
 * word. A question such as __has_builtin(x) is a name, too, with the number 1 for yes. Of
 * OpenCL C's own constants that are no integers (M_PI) it is only asked whether they are there. */

/* The kernel that is there in any case: bytes without its name do not say which others are. */
#define CW_MACRO_LAST "cw_last"

/* The compiler's output for the source: bytes in which the names of its kernels stand, be it among other
 * things (a list of names, an object file). The caller's to free; NULL: it does not build. */
typedef char *cw_macro_kernels(void *data, const char *source, size_t *bytes);

/* Fills values[0..n-1]. False: out of memory, or nothing builds. */
bool cw_macro_question(cw_macro_kernels *kernels_of, void *data, char *const *names, size_t n,
                       struct cw_macro_value *values);

/* Merges the answers of two compilers: values[] becomes CW_MACRO_OTHER where others[] differ. */
void cw_macro_agree(struct cw_macro_value *values, const struct cw_macro_value *others, size_t n);

/* Uses of plain macros in function bodies, replaced by their text.
 *
 * The result is the same program to a preprocessor, and the steps that read tokens (rows/rewrite_rows.h)
 * see what subscripts and conditions say. A macro is plain when it has one definition, by #define or by a
 * build option, that is in no conditional but those that guard a header, is never undefined, has neither #
 * nor ## nor "...", and stands for plain macros at most, itself not
 * among them. Definitions that nothing uses any more go. All other macros, and what
 * stands in their parentheses, stay. */

/* `source`: headers stand in it (header_files.h). `options`: those of the build, NULL: none. The
 * caller's to free; NULL: memory is out. Lines keep their numbers. Linear time but for the length of the
 * result, which is the source itself where it would be longer than CW_EXPANDED_MOST bytes. Thread-safe. */
char *cw_expanded_macros(const char *source, const char *options);

enum { CW_EXPANDED_MOST = 4 << 20 };

#endif
