/* execute.h - run a captured trace again on the vendor's OpenCL, without the program, and compare every byte.
 *
 * A trace made with --capture-data holds the program's inputs to OpenCL (contents of objects at creation,
 * bytes written, programs, arguments) and its results (bytes read, contents of objects at their end). This
 * module issues the same commands in an order of its choice that keeps the binding edges (event, barrier,
 * host, data; not the implied `queue` edges), and compares. An edge missing from the graph shows
 * as a difference.
 *
 * The trace's kernels run, with the sizes of the trace: run only traces that you trust, as you would a
 * program. One command runs at a time, on one in-order queue per device: the order is exactly the chosen one.
 *
 * Bytes that the program never defined differ from run to run without an error. To find them, undefined
 * contents are filled with 0x00 and with 0xA5 in two runs in trace order; bytes of the results that follow
 * the fill are excluded from every comparison and counted. */
#ifndef CW_EXECUTE_H
#define CW_EXECUTE_H

#include <stdio.h>

#include "../graph/selection.h"
#include "../record/trace.h"

enum cw_execute_order { CW_EXECUTE_TRACE, CW_EXECUTE_PLAN, CW_EXECUTE_RANDOM };

struct cw_execute_options {
    enum cw_execute_order order;
    uint64_t seed;   /* of the first random order; the k-th uses seed + k */
    uint32_t repeat; /* number of orders to run, >= 1 */
    int device; /* run everything on this device, counted over all platforms; -1: the traced ones by name */
    const char *on;              /* the same by a part of its name; NULL: not given */
    bool drop;                   /* leave an edge out and run its ends in the wrong order */
    bool drop_auto;              /* choose the edge: try data edges until one makes a difference */
    uint32_t drop_from, drop_to; /* !drop_auto: command ids */
};
#define CW_EXECUTE_OPTIONS_DEFAULT                                                                           \
    {                                                                                                        \
        .order = CW_EXECUTE_TRACE, .seed = 1, .repeat = 1, .device = -1                                      \
    }

/* A difference in one memory object (contents at its end) or one read-back (bytes that the program got). */
struct cw_execute_difference {
    bool is_memory; /* id is a memory id; else the command id of a read, map or the like */
    uint32_t id;
    uint32_t last_writer; /* command that last wrote the first differing byte in the failing order, CW_NONE:
                             none */
    uint64_t first_offset, bytes; /* first differing byte; number of differing bytes */
    uint8_t expected, got;        /* the first differing byte in the capture and now */
};

enum { CW_EXECUTE_DIFFERENCES = 16 };

struct cw_execute_report {
    struct cw_execute_options options;
    char device[128];  /* name of the device used; "n devices" if several */
    uint64_t commands; /* enqueued commands executed per order */
    uint64_t skipped;  /* commands of the trace that never ran: refused, terminated, waiting for ever */
    uint64_t buffers, readbacks; /* memory objects and read-backs compared per order */
    uint64_t uncaptured;         /* read-backs without data: other reads may have overwritten their bytes */
    uint64_t uncaptured_buffers; /* memory objects that commands use, without contents at their end */
    uint64_t bytes;              /* bytes compared per order, without the excluded ones */
    uint64_t address_bytes;      /* bytes excluded because they may be addresses, which differ in each run */
    uint64_t undefined_bytes;    /* bytes excluded because their value was never defined by the program */
    uint64_t orders, distinct_orders;
    uint64_t edges_tried;              /* drop_auto: edges dropped so far */
    uint32_t dropped_from, dropped_to; /* the edge left out in the last order, CW_NONE */
    uint64_t failing_seed;             /* of the order that differed, random orders only */
    uint64_t difference_count;         /* objects and read-backs that differed in the failing order */
    struct cw_execute_difference differences[CW_EXECUTE_DIFFERENCES]; /* the first of them */
    double seconds;                                                   /* wall time of all orders */
};

/* Sets the order from "trace", "plan" or "random", or the dependence to leave out of random orders from
 * "drop:FROM:TO" or "drop:auto". Returns CW_OK; CW_ERR_INVALID for another text. */
enum cw_status cw_execute_parse_order(struct cw_execute_options *o, const char *text, struct cw_error *err);

/* Sets the device from its number, or a part of its name, which must live as long as `o`. */
void cw_execute_parse_on(struct cw_execute_options *o, const char *text);

/* Runs `t` as `o` says. `t` must have its edges and accesses (graph_build.h). `plan` holds `plan_count`
 * command ids, used only when o->order is CW_EXECUTE_PLAN: every command that will be executed, once, in the
 * order to run them; host pseudo-commands may be left out. `r` receives the counts, and the differences.
 *
 * Returns CW_OK when all bytes are equal (with drop_auto: when no dropped edge made a difference);
 * CW_ERR_MISMATCH when something differs (err: the first difference);
 * CW_ERR_NOTFOUND when the trace has no captured data or nothing that could be compared, or the device is not
 * there; CW_ERR_UNSUPPORTED when a command cannot be run again (err names it), before anything runs;
 * CW_ERR_INVALID when the plan or the dropped edge does not fit the trace; CW_ERR_FORMAT, CW_ERR_IO for
 * unusable captured data; CW_ERR_LIMIT when a launch does not end that another command may have to end (the
 * memory of the launch is leaked then, and the process should end); CW_ERR_VENDOR when OpenCL reports an
 * error; CW_ERR_CYCLE; CW_ERR_NOMEM. While it runs, standard output is the standard error of the process
 * (kernels print). Not thread-safe. */
enum cw_status cw_execute_run(const struct cw_trace *t, const struct cw_execute_options *o,
                              const uint32_t *plan, size_t plan_count, struct cw_execute_report *r,
                              struct cw_error *err);

/* Cuts the part of the captured trace `t` that `part` names, which `t` is then, with the contents of
 * memory at its beginning and at its end: runs the trace up to there on the devices that `o` names. Writes
 * FOLDER/trace.json, FOLDER/trace.json.data and the script FOLDER/run; makes the folder. `part` must be
 * one range of commands, without --kernel. Returns as cw_execute_run; CW_ERR_IO also where the folder has
 * a trace. Not thread-safe. */
enum cw_status cw_execute_slice(struct cw_trace *t, const struct cw_selection *part,
                                const struct cw_execute_options *o, const char *folder, struct cw_error *err);

/* Writes the report for people (one summary line, then one line per difference) or as one JSON object.
 * Returns CW_OK, CW_ERR_NOMEM, or CW_ERR_IO when `out` is in error. */
enum cw_status cw_execute_report_print(const struct cw_execute_report *r, const struct cw_trace *t, FILE *out,
                                       bool json);

#endif
