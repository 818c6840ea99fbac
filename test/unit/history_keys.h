/* history_keys.h - keys of kernels for tests that only count them. */
#ifndef CW_TEST_HISTORY_KEYS_H
#define CW_TEST_HISTORY_KEYS_H

#include "../../analyzer/io/identity.h"

static inline struct cw_key K(uint64_t number) {
    return (struct cw_key){{number, 1}};
}

#endif
