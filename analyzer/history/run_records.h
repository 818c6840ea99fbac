/* run_records.h - what `run` remembers of programs (history_runs.h), as plain fields for tools that show it.
 * Not thread-safe. */
#ifndef CW_RUN_RECORDS_H
#define CW_RUN_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "../io/file_store.h"

enum cw_run_state {
    CW_RUN_WATCHING, /* runs so far only tell how long the program works without helpers */
    CW_RUN_TRYING,   /* some runs begin at once, to see whether that gains */
    CW_RUN_GAINS,    /* runs begin at once, as earlier ones have gained */
    CW_RUN_NO_GAIN   /* the latest trials have gained nothing */
};

/* Runs of one program with one kind of arguments. Strings hold until the callback returns. */
struct cw_run_record {
    const char *program;   /* name of its file */
    const char *file;      /* name of the record's file: another build, or other settings, have another one */
    const char *settings;  /* those that are not the default, "groups=auto policy=peft"; "" */
    const char *arguments; /* words with a NUL behind each, the program as it was called first */
    size_t arguments_bytes;
    uint64_t runs; /* of this build of the program, with any arguments; those that told nothing new are not
                    * all counted */
    uint64_t ago;  /* such runs after the latest with these arguments */
    double bare_ns, run_ns; /* work of runs without helpers, and with them, of late; 0: not known */
    double cost_ns;         /* of beginning; 0: not measured */
    double lived_ns,
        lost_ns; /* of all runs in the record: their life, and how much longer they took than bare */
    enum cw_run_state state;
    int64_t used_s; /* when the record was written; seconds since 1970 */
    uint64_t bytes; /* of the record's file */
};

/* Calls `each` for every record in the file store `folder`, those of one file one after the other, the file
 * that was used last first. */
void cw_run_records_each(const char *folder, void (*each)(const struct cw_run_record *record, void *context),
                         void *context);

/* Removes the records of programs whose file has this name. Returns what has gone. */
struct cw_file_store_size cw_run_records_forget(const char *folder, const char *program);

/* "watching", "trying", "gains", "no gain". */
const char *cw_run_records_state(enum cw_run_state state);

#endif
