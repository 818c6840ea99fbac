/* quantity.h - numbers of bytes and of nanoseconds as a reader likes them. */
#ifndef CW_QUANTITY_H
#define CW_QUANTITY_H

#include <stdint.h>

/* "1.5 KiB", "12 B"; "1.23 ms". At most 15 characters, in `text` of 16 bytes, which is returned. */
const char *cw_quantity_bytes(uint64_t bytes, char text[16]);
const char *cw_quantity_ns(uint64_t ns, char text[16]);

#endif
