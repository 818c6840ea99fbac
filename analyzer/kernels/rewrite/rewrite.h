/* rewrite.h - rewrites OpenCL C so that a range of work-groups, launched on its own at global offset zero,
 * behaves as its part of the original NDRange (NDRange virtualisation).
 *
 * How. Every function that may reach a built-in that tells where a work-item stands in the whole NDRange
 * gets one more parameter, behind its own: a struct cw_rewrite_tile by value. Those built-ins and the
 * calls of those functions become macros that add the parameter, so that the preprocessor of the device's
 * compiler finds every use, in macros, in their arguments, in pasted names, in every branch of every
 * conditional. Nothing else of the source is touched, but that forms for rows need uses of plain macros
 * replaced by their text (source/vendor_macros.h); lines keep their numbers. A use that escapes finds no
 * such parameter, or no such function, and does not compile: it can never see the ids of the tile.
 *
 *   as in the original launch                          how
 *   get_global_id, get_group_id                        the tile's + base, + first_group
 *   get_num_groups, get_global_size, get_global_offset from the struct
 *   get_global_linear_id                               from those
 *   get_local_id/size, get_enqueued_local_size,        the tile's own: the caller pins the local size, cuts
 *   get_work_dim, get_local_linear_id, sub-groups,     between work-groups only, and keeps the number of
 *   work_group_* and async copies, barriers            dimensions; a ragged last group (OpenCL C 2.0) is
 *                                                      last in its tile too
 *
 * A refusal has a reason in words. Refused are: code that cannot be understood for certain (functions that
 * are made by macros and see ids, branches of conditionals with different braces, trigraphs and digraphs
 * …), undefined functions, blocks, C++. Code that could learn ids by other ways (inline assembly,
 * built-ins of a vendor, device-side enqueue) refuses only the kernels that reach it, in whichever branch.
 * A source that was preprocessed before (clang -E with the vendor's macros) is refused much less.
 *
 * Whether a kernel may be cut at all (printf, atomics, program-scope variables …) is not asked here. */
#ifndef CW_REWRITE_H
#define CW_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../sched/status.h"

/* The value of the hidden argument, for clSetKernelArg, sizeof it bytes (120), for devices of the host's byte
 * order. Work-items and work-groups; index = dimension. The layout is the same in all programs, so that
 * separately rewritten programs can be linked. */
struct cw_rewrite_tile {
    uint64_t base[3]; /* global id of the first work-item of the tile: offset + first_group * local size */
    uint64_t first_group[3]; /* group id of its first work-group */
    /* work-groups of the original launch, a ragged last one counts; 1 beyond its dimensions */
    uint64_t groups[3];
    uint64_t size[3];   /* global size of the original launch; 1 beyond its dimensions */
    uint64_t offset[3]; /* global offset of the original launch; 0 beyond its dimensions */
};

/* Fills `tile` for the part of a launch that begins at work-group `first_group`. `global`, `local`, `offset`,
 * `first_group` have `dims` members (1 to 3); `offset` and `first_group` may be NULL (zeros); `local` is the
 * pinned local size, no member of it 0. Never fails. The tile is launched with local size `local`, offset
 * zero and global size groups * local, in the last tile of a dimension the rest of the global size. */
void cw_rewrite_tile_fill(struct cw_rewrite_tile *tile, unsigned dims, const size_t *global,
                          const size_t *local, const size_t *offset, const size_t *first_group);

struct cw_rw_rows;

/* One translation unit: the source of clCreateProgramWithSource, all strings in one, NUL-terminated, and the
 * options of its clBuildProgram or clCompileProgram (NULL: none). */
struct cw_rewrite_unit {
    const char *source, *options;
};

/* The sources of a program. `unit` has one member for clBuildProgram, several for the inputs of
 * clLinkProgram. `kernel` lists the names of the kernels that the caller is interested in
 * (CL_PROGRAM_KERNEL_NAMES).
 *
 * `read_header` is asked for the text of `#include "name"` or <name> in unit `unit`; `includer` is the name
 * of the header that it stands in, NULL for the source. It returns text that stays valid until cw_rewrite
 * returns, or NULL when it does not know the header or is not sure (several of that name on the search path):
 * the program is then refused. NULL: every #include is refused. header_files.h has one.
 *
 * `forms` makes the forms for rows of kernels (rows/rewrite_rows.h: cw_rewrite_rows_forms); NULL: none are
 * made. `rows` is asked, with `rows_context`, whether the form for rows of a kernel is to be in the result;
 * `form` is what it takes for granted (rewrite_rows.h) and `key` is of its text, never 0. NULL: all are,
 * by the tokens alone. A caller that runs them asks clang, too (llvm/rows_proof.h); the kernels' models hold
 * its answers. */
struct cw_rewrite_in {
    const struct cw_rewrite_forms *forms; /* NULL: no kernel gets a form for rows */
    const struct cw_rewrite_unit *unit;
    size_t units;
    const char *const *kernel;
    size_t kernels;
    const char *(*read_header)(void *context, size_t unit, const char *name, const char *includer);
    void *context;
    bool (*rows)(void *context, const char *kernel, const struct cw_rw_rows *form, uint64_t key);
    void *rows_context;
};

enum cw_rewrite_verdict {
    /* Takes the hidden argument. Its index is the number of arguments of the original kernel; the caller
     * checks that the rewritten kernel has exactly one argument more. */
    CW_REWRITE_DONE,
    /* Sees nothing that differs in a tile: the kernel is as it was, without a hidden argument. */
    CW_REWRITE_AS_IS,
    CW_REWRITE_REFUSED, /* must run whole */
};

struct cw_rewrite_kernel {
    enum cw_rewrite_verdict verdict;
    const char *reason; /* CW_REWRITE_REFUSED: why, one line, owned by struct cw_rewrite_out; else NULL */
    bool rows;          /* CW_REWRITE_DONE: there is CW_REWRITE_ROWS with the kernel's name behind it, too */
    /* not CW_REWRITE_REFUSED: of all that a tile changes it sees global ids alone, so the original kernel
     * does the work of a tile when it is launched at the tile's base for an offset */
    bool by_offset;
};

/* A form of kernels in which one work-item does the work of a row, for devices whose work-items are loops
 * (CPUs): the same bytes, faster where the kernel tests for borders. Behind the tile it takes a cl_int2:
 * work-items of the tile along dimension 0, and how many of them make a row. It is launched with local size 1
 * over (rows in dimension 0, the tile's work-items along dimensions 1 and 2), where base + size of the tile
 * along dimension 0 is at most 2^31 - 1. Where it does not build, the source may be built with
 * -DCW_RUN_NO_ROWS, which leaves it out. */
#define CW_REWRITE_ROWS "__cw_rows_"

/* The result; cw_rewrite_finish frees it. When the program as a whole was refused `source` is NULL, `reason`
 * says why and all kernels are refused. */
struct cw_rewrite_out {
    char *
        *source; /* `units` texts, NUL-terminated; to be built with the original options followed by " -w" */
    size_t units;
    struct cw_rewrite_kernel *kernel; /* in the order of cw_rewrite_in.kernel */
    size_t kernels;
    char reason[256];
};

/* Rewrites the units of `in` into `out` (any content; initialised here). Time and memory are linear in the
 * length of sources and inlined headers (at most 16 MiB together, refused beyond). Any bytes are accepted as
 * source. Thread-safe.
 *
 * Returns CW_OK, also when everything is refused; CW_ERR_INVALID when `in` has no unit or a NULL source or
 * kernel name; CW_ERR_NOMEM. On an error `out` is empty. `err` may be NULL. */
enum cw_status cw_rewrite(const struct cw_rewrite_in *in, struct cw_rewrite_out *out, struct cw_error *err);

/* Frees the members of `out` and leaves it empty. NULL and empty ones are allowed. */
void cw_rewrite_finish(struct cw_rewrite_out *out);

/* "rewritten", "as it is", "refused". Static. */
const char *cw_rewrite_verdict_name(enum cw_rewrite_verdict v);

#endif
