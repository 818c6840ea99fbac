/* compiler_resources.h - may the vendor be asked to compile or to load code for us? A vendor that finds no
 * descriptor, no disk, no memory or no linker for that may end the process (PoCL 3.1 aborts when it cannot
 * load a kernel that it has compiled), and the bare program would not have asked. */
#ifndef CW_COMPILER_RESOURCES_H
#define CW_COMPILER_RESOURCES_H

#include <stdbool.h>

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

#endif
