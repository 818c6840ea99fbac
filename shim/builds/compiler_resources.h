/* compiler_resources.h - may the vendor be asked to compile or to load code for us? A vendor that finds no
 * descriptor, no disk, no memory or no linker for that may end the process (PoCL 3.1 aborts when it cannot
 * load a kernel that it has compiled), and the bare program would not have asked. */
#ifndef CW_COMPILER_RESOURCES_H
#define CW_COMPILER_RESOURCES_H

#include "../run/core/types.h"

/* True for a compiler that runs no linker and has a table of descriptors to itself
 * (builds/isolated_compiler.h): the process may write files of a compiler's size, there is room for them
 * where the vendor keeps them, neither memory nor processor time is limited (door/limited.h), and nothing has
 * been forbidden since it began. */
bool cw_compiler_resources_apart(void);

/* True when the process finds a linker in its PATH, may start it and learns how it ended, may open at least
 * as many files as a compiler does, write files of a compiler's size where there is room for them, and
 * neither memory nor processor time is limited. Changes that the program makes while the vendor compiles are
 * not seen. About 5 us; opens nothing. Any thread. */
bool cw_compiler_resources_suffice(void);

/* Of its kernel: its own, rewritten, rewritten for rows; all that parts of it may need, however long they
 * are. */
enum cw_run_form { CW_RUN_WHOLE, CW_RUN_TILE, CW_RUN_ROWS, CW_RUN_ANY_PART };

/* By lane number: of which kinds of launches of a kernel code has been loaded. NULL: memory is out. */
struct cw_run_kinds *cw_compiler_resources_new(void);
void cw_compiler_resources_free(struct cw_run_kinds *kinds);

/* True when code for a launch like `l` has been loaded on `lane` before. Lane held. */
bool cw_compiler_resources_has(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                               uint32_t worker, enum cw_run_form form);

/* The same of a worker whose lists others may change: of a launch that is to run elsewhere. */
bool cw_compiler_resources_has_there(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                                     uint32_t worker, enum cw_run_form form);

/* The vendor has taken it. Lane held. */
void cw_compiler_resources_loaded(const struct cw_run_launch *l, const size_t *global, const size_t *local,
                                  uint32_t worker, enum cw_run_form form);

#endif
