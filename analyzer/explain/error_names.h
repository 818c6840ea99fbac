/* error_names.h - the specification's names of OpenCL's errors. */
#ifndef CW_ERROR_NAMES_H
#define CW_ERROR_NAMES_H

#include <stdint.h>

/* "CL_INVALID_VALUE"; "error -1234" for an unknown one, in `text` of 32 bytes. Thread-safe. */
const char *cw_error_names_of(int32_t status, char text[32]);

#endif
