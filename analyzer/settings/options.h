/* options.h - the settings of libclweave.so, as options.inc lists them.
 *
 * The library reads them from its environment (CLWEAVE_*); the tool takes those of each command as long
 * options or by --set NAME=VALUE, and hands them over in the environment. One table serves both, and the help
 * texts. */
#ifndef CW_OPTIONS_H
#define CW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"

enum cw_option_kind { CW_OPTION_BOOL, CW_OPTION_INT, CW_OPTION_STRING, CW_OPTION_CHOICE };

/* Commands of the tool that accept an option; bits. SET: by --set NAME=VALUE instead of --NAME VALUE.
 * INTERNAL: a variable that is not the user's to set; help and log do not show it, and the code that uses it
 * reads the variable itself. */
enum { CW_CMD_TRACE = 1, CW_CMD_RUN = 2, CW_CMD_INTERNAL = 4, CW_CMD_SET = 8 };

#define CW_OPTION_TYPE_BOOL   bool
#define CW_OPTION_TYPE_INT    int
#define CW_OPTION_TYPE_STRING char *
#define CW_OPTION_TYPE_CHOICE char *

/* The values. Strings are copies that the struct owns, never NULL after init. */
struct cw_options {
#define CW_OPTION(field, kind, value, choices, name, argument, commands, help) CW_OPTION_TYPE_##kind field;
#include "options.inc"
#undef CW_OPTION
};

/* One row of the table. */
struct cw_option_info {
    const char *name;  /* "device-times": the long option is --device-times */
    const char *field; /* "device_times": the same for --set */
    enum cw_option_kind kind;
    const char *default_value; /* as one would write it: "off", "0", "false" */
    const char *choices;       /* CHOICE: "off|trace|run"; else "" */
    const char *argument;      /* placeholder for help texts; "" for BOOL */
    unsigned commands;         /* CW_CMD_* bits */
    const char *help;          /* one sentence */
    size_t offset;             /* of the value in struct cw_options */
};

/* The table, ended by a row whose name is NULL. Constant; thread-safe. */
extern const struct cw_option_info cw_option_table[];

/* Writes the option's environment variable, "CLWEAVE_DEVICE_TIMES", into `text` of CW_OPTION_VARIABLE_BYTES
 * bytes and returns `text`. */
#define CW_OPTION_VARIABLE_BYTES 64
const char *cw_options_variable(const struct cw_option_info *info, char *text);

/* Fills `o` with the defaults. CW_ERR_NOMEM leaves an `o` that cw_options_finish accepts. */
enum cw_status cw_options_init(struct cw_options *o, struct cw_error *err);

/* Frees the strings. NULL, and a zeroed struct, are allowed. */
void cw_options_finish(struct cw_options *o);

/* Whether `word` is one of the words of "a|b|c". */
bool cw_options_choice(const char *choices, const char *word);

/* Sets the option `info` from `value`: BOOL takes 1/0, true/false, yes/no, on/off, "" (a bare --flag) = true;
 * INT a decimal number; CHOICE one of its words. CW_ERR_INVALID (naming option, value and the allowed values)
 * or CW_ERR_NOMEM leave the old value. */
enum cw_status cw_options_set(struct cw_options *o, const struct cw_option_info *info, const char *value,
                              struct cw_error *err);

/* Sets every option whose variable is in the environment and not empty. Stops at the first bad one. Reads the
 * environment: not safe against a concurrent setenv. */
enum cw_status cw_options_from_environment(struct cw_options *o, struct cw_error *err);

/* Writes the values that differ from the defaults, "mode=trace out=/tmp/x.json", as snprintf does: at most
 * `size` bytes with the NUL, returning the length that all of it has (0 when nothing differs). Internal ones
 * are left out.
 */
size_t cw_options_describe(const struct cw_options *o, char *text, size_t size);

/* Expands %e (program), %p (pid) and %% of `pattern` into `path`. CW_ERR_INVALID for another % sequence,
 * CW_ERR_LIMIT when `size` bytes do not hold the result with its NUL. Slashes in `program` become
 * underscores. */
enum cw_status cw_options_expand(const char *pattern, const char *program, long pid, char *path, size_t size,
                                 struct cw_error *err);

/* Frames per enqueue that a value of `callsites` asks for: 0 for "off", 1 for "leaf", else its number; -1 for
 * a word that it cannot be. */
#define CW_CALLSITES_MAX 32
int cw_options_callsites(const char *text);

/* The bytes that a value of `limit` asks for, as 500M or 2G, 0 for ""; UINT64_MAX for a word that it
 * cannot be: no such number, or fewer than CW_LIMIT_BYTES. */
enum { CW_LIMIT_BYTES = 4 << 20 };
uint64_t cw_options_limit(const char *text);

/* Which commands have device times, as a value of `device_times` says. */
struct cw_device_times_choice {
    uint32_t every; /* one in so many; 0: none */
    bool all;       /* QUEUED and SUBMIT of each, besides START and END */
};
enum { CW_DEVICE_TIMES_EVERY = 1000000 }; /* `every` at most */

/* Reads "every:N", "all", or a word of a BOOL. False: `text` is none of these; `choice` is zero then. */
bool cw_options_device_times(const char *text, struct cw_device_times_choice *choice);

/* Index of the level of "LEVEL" or "LEVEL:FILE" in error, warning, info, debug; -1 for none of them. */
int cw_options_log_level(const char *text);

#endif
