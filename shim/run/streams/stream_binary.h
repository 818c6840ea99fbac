/* stream_binary.h - binaries of programs that are PTX, NVIDIA's text for its own loader. Pure. */
#ifndef CW_STREAM_BINARY_H
#define CW_STREAM_BINARY_H

#include <stdbool.h>
#include <stddef.h>

/* The binary is PTX, and its kernels touch nothing that no argument shows: it has no variables in global
 * memory, loads no 64 bits that could be an address (one that is a number among the arguments is not seen),
 * calls nothing from elsewhere, and does not print. */
bool cw_stream_binary_shows(const unsigned char *binary, size_t bytes);

#endif
