/* damage.h - damages a text of numbers, words and brackets: for files that must be refused or still mean
 * something. */
#ifndef DAMAGE_H
#define DAMAGE_H

#include <stdint.h>
#include <string.h>

#include "../../sched/random.h"

/* The digits at `at` or behind become `value`. Returns the new length. */
static inline size_t damage_number(char *text, size_t n, size_t capacity, size_t at, const char *value)
{
    size_t digits, length = strlen(value);

    while (at < n && !strchr("0123456789", text[at]))
        at++;
    for (digits = 0; at + digits < n && strchr("0123456789.", text[at + digits]);)
        digits++;
    if (digits == 0 || n + length >= capacity)
        return n;
    memmove(text + at + length, text + at + digits, n - at - digits);
    memcpy(text + at, value, length);
    return n + length - digits;
}

/* One to four of: a byte changed, for one of `signs` too, a piece removed, a piece doubled, a number
 * replaced, the end cut off. `text` has `n` > 0 bytes and room for `capacity`. Returns the new length. */
static inline size_t damage_text(char *text, size_t n, size_t capacity, const char *signs, uint64_t *random)
{
    static const char *const values[] = {
        "0",    "-1", "1e308", "1e-308", "4294967295", "18446744073709551615",
        "null", "[]", "\"\"",  "0.1",    "true",       "{}"};

    for (uint64_t k = 1 + cw_random_below(random, 4); k > 0 && n > 4; k--) {
        size_t at = cw_random_below(random, n), piece = 1 + cw_random_below(random, 8);
        piece = piece < n - at ? piece : n - at;
        switch (cw_random_below(random, 7)) {
        case 0:
            text[at] = (char)cw_random_below(random, 256);
            break;
        case 1:
            text[at] = signs[cw_random_below(random, strlen(signs))];
            break;
        case 2:
            memmove(text + at, text + at + piece, n - at - piece);
            n -= piece;
            break;
        case 3:
            if (n + piece < capacity) {
                memmove(text + at + piece, text + at, n - at);
                n += piece;
            }
            break;
        case 4:
            if (cw_random_below(random, 8) == 0)
                n = at;
            break;
        default:
            n = damage_number(text, n, capacity, at,
                              values[cw_random_below(random, sizeof values / sizeof *values)]);
        }
    }
    return n;
}

#endif
