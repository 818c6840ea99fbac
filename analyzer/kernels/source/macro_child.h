/* macro_child.h - the vendor's compiler is asked for its macros (vendor_compiler.h) in a process of its own.
 *
 * PoCL builds one program at a time in a process: a question of clweave would wait for the host's build, and
 * the host's next step for that question, a fifth of a second each. The process is the tool, found beside the
 * library and run so that the host does not notice (io/quiet_child.h), with the host's environment but for
 * the variables that load this library into it. It answers only for a device whose description is word for
 * word the one that was asked for; a caller without an answer asks in the host. */
#ifndef CW_MACRO_CHILD_H
#define CW_MACRO_CHILD_H

#include "../../io/helper_tool.h"
#include "macro_value.h"
#include "tested_names.h"

/* The tool's first and only argument, by which it is that process (cli/vendor_child.c). */
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

#endif
