/* macro_value.h - the answer of a vendor's compiler about one of its macros. */
#ifndef CW_MACRO_VALUE_H
#define CW_MACRO_VALUE_H

#include <stdint.h>

/* About a name that a source tests (tested_names.h). */
enum cw_macro_kind {
    CW_MACRO_UNDEFINED,
    CW_MACRO_NUMBER,
    CW_MACRO_OTHER,
    CW_MACRO_FLOAT, /* a constant of OpenCL C's: some number of this type */
    CW_MACRO_DOUBLE
};
struct cw_macro_value {
    enum cw_macro_kind kind;
    int64_t number;
};

#endif
