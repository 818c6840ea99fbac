/* crc32.h - the CRC-32 of IEEE 802.3 (as zip has it), to notice damage, not attacks. */
#ifndef CW_CRC32_H
#define CW_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of bytes that follow those whose CRC is `crc` (0: none). Thread-safe. O(bytes). */
uint32_t cw_crc32(uint32_t crc, const void *data, size_t bytes);

#endif
