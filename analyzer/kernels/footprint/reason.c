/* reason.c - see reason.h. */
#include "reason.h"

#include <string.h>

#define X(id, text) const char id[] = text;
CW_REASON_LIST(X)
#undef X

const char *cw_reason_find(const char *text, size_t n)
{
#define X(id, words) id,
    static const char *const all[] = {CW_REASON_LIST(X)};
#undef X
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i]) == n && !memcmp(all[i], text, n))
            return all[i];
    return NULL;
}
