/* cli.h - the frame of the command-line tool: one struct per command, one option table per command.
 *
 * A command is one file cmd_<name>.c with one `const struct cw_command_def`, and one line in main.c. From
 * its option table come parsing, --help, the manual pages (`clweave help --man`) and the completions of
 * shells (`clweave help --completion bash`). The frame parses the options into the command's own struct,
 * answers --help, checks the number of operands, and only then calls run(). A short example: cmd_timeline.c
 *
 * Thread-safety: none, the tool has one thread. */
#ifndef CW_CLI_H
#define CW_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../sched/status.h"

/* Exit statuses of the tool. `trace` and `run` exit with the program's own status, 128 + n when signal n
 * killed it, and CW_EXIT_FAILURE when it could not be started. */
enum cw_exit { CW_EXIT_OK = 0, CW_EXIT_FAILURE = 1, CW_EXIT_USAGE = 2 };

enum cw_cli_kind {
    CW_CLI_BOOL,   /* bool, no argument; set to true */
    CW_CLI_STRING, /* const char *, points into argv */
    CW_CLI_INT,    /* int64_t; decimal or 0x..., the whole word must be a number */
    CW_CLI_DOUBLE, /* double, finite */
    CW_CLI_CHOICE, /* const char *, one of `choices` */
    CW_CLI_LIST,   /* struct cw_cli_list: the option may be repeated, the words keep their order */
    CW_CLI_SHIM    /* const char *; a setting of options.inc, passed to the program as CLWEAVE_<NAME> */
};

/* The words of a repeated option; they point into argv. The frame frees `word` behind run(). */
struct cw_cli_list {
    const char **word;
    size_t count;
};

/* One option. A table ends with CW_CLI_END. */
struct cw_cli_option {
    const char *name; /* long option, without dashes */
    char letter;      /* short option, 0 = none */
    enum cw_cli_kind kind;
    size_t offset; /* of its member in the command's values struct; CW_CLI_SHIM: index into const char *[]
                      there */
    /* placeholder in help texts; NULL for CW_CLI_BOOL; a SHIM option without one is a flag, one with
     * "[=WORD]" is a flag that takes a word behind = */
    const char *argument;
    const char *choices; /* allowed words separated by |, else NULL or "" */
    const char *help;    /* one sentence, lower case, no full stop; NULL: the command has no such option.
                       * `argument` is then its new spelling, if it had one, else NULL */
};

/* for (o over the options of `table`) */
#define CW_CLI_EACH(o, table)                                                                                \
    for (const struct cw_cli_option *o = (table); o && o->name; o++)                                         \
        if (o->help)

#define CW_CLI_END                                                                                           \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

struct cw_command_def {
    const char *name;
    const char *summary;                 /* one line for the list of commands */
    const char *usage;                   /* the text behind "clweave <name> ", e.g. "[options] FILE" */
    const char *details;                 /* paragraphs for --help and the man page; NULL allowed */
    const struct cw_cli_option *options; /* NULL allowed */
    const char *words;                   /* for completion: "a|b", of the first operand; NULL allowed */
    const char *const *output; /* pairs {column or line that it prints, meaning}, NULL-ended; NULL allowed */
    const char *const *examples;    /* pairs {command, explanation}, NULL-ended; NULL allowed */
    const void *defaults;           /* values_size bytes copied before parsing; NULL = zeros */
    size_t values_size;             /* of the struct that the options fill; 0 without options */
    int min_operands, max_operands; /* max -1: any number */
    bool program;    /* operands are a program and its arguments: options end at the first of them */
    const char *raw; /* long name of a CW_CLI_LIST option that takes words as they stand; NULL: none */
    /* How many words, from `word` on, are such words: 0, 1 or 2. Without `raw`: NULL. */
    int (*raw_words)(const char *word);
    /* values: the filled struct (NULL when values_size is 0); argv: the operands, NULL-ended. Returns an exit
     * status. */
    int (*run)(const void *values, int argc, char **argv);
};

/* All commands, NULL-ended, in the order in which help lists them (main.c). */
extern const struct cw_command_def *const cw_commands[];

/* Runs `clweave argv[1] …`: finds the command in `table`, parses, runs. Returns the exit status. */
int cw_cli_main(const struct cw_command_def *const *table, int argc, char **argv);

/* Parses argv[1..*argc-1] into `values` (def->values_size bytes, already holding the defaults). On success
 * *first is the index in argv of the first operand (argv is permuted unless def->program, and has lost its
 * raw words, which *argc says). Every error is CW_ERR_INVALID with a message that names the word and, for a
 * mistyped option, the nearest one. --help sets *help and stops. */
enum cw_status cw_cli_parse(const struct cw_command_def *def, int *argc, char **argv, void *values,
                            int *first, bool *help, struct cw_error *err);

/* Prints to stderr "clweave: <text>\n" (the frame's only way to complain; texts read "fault: place:
 * remedy"). */
void cw_cli_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A file-size limit, and a file that is cut short while it is read, shall be errors that are told. A program
 * that the tool starts gets the signals as the tool found them: call the second between fork and exec. */
void cw_cli_signals_own(void);
void cw_cli_signals_restore(void);

/* From here on, text printed to stdout and stderr holds no control characters (io/text.h). Programs that
 * the tool starts have the descriptors as they are. */
void cw_cli_streams_own(void);

/* Complains with err's text, or with the status's string when there is none. Returns CW_EXIT_FAILURE. */
int cw_cli_fail(const struct cw_error *err);

/* "out.svg", "heft:a=1" -> "out-heft-a-1.svg", for several files. The caller's; NULL when memory is out. */
char *cw_cli_name_after(const char *path, const char *label);

/* The word of the NULL-ended list `words` that is nearest to `word` (edit distance), NULL when none is near.
 */
const char *cw_cli_nearest(const char *word, const char *const *words);

/* Help texts (cli_help.c). They return nothing and write to `f` only. Settings: all that --set takes. */
void cw_cli_help_all(FILE *f, const struct cw_command_def *const *table);
void cw_cli_help_settings(FILE *f);
void cw_cli_help_command(FILE *f, const struct cw_command_def *def);

/* Manual pages, in roff (cli_man.c): clweave(1), and clweave-NAME(1) of one command. */
void cw_cli_man(FILE *f, const struct cw_command_def *const *table);
void cw_cli_man_command(FILE *f, const struct cw_command_def *const *table, const struct cw_command_def *def);

/* Completion scripts. Words come from the tables: choices, policies, platforms, generators. */
void cw_completion_bash(FILE *f, const struct cw_command_def *const *table);
void cw_completion_zsh(FILE *f, const struct cw_command_def *const *table);
void cw_completion_fish(FILE *f, const struct cw_command_def *const *table);

/* Whether the option may have an argument, behind = alone. */
static inline bool cw_cli_may_take(const struct cw_cli_option *o)
{
    return o->argument && o->argument[0] == '[' && o->argument[1] == '=';
}

/* Whether it needs one. */
static inline bool cw_cli_takes(const struct cw_cli_option *o)
{
    return o->argument && o->kind != CW_CLI_BOOL && !cw_cli_may_take(o);
}

/* "-o, --out FILE", as snprintf writes it. */
int cw_cli_option_head(char *text, size_t size, const struct cw_cli_option *o);

#define CW_VERSION "0.1.0"
#define CW_ABI     "0" /* libclweave.so.0, libcwsched.so.0; rises when programs linked with it break */

/* The words that complete an option's argument or a command's first operand. Everything
 * comes from the tables that parsing uses. */

#endif
