#include "status.h"

const char *cw_status_string(enum cw_status s)
{
    static const char *const texts[] = {
#define X(id, text) [id] = text,
        CW_STATUS_LIST(X)
#undef X
    };
    if ((unsigned)s >= sizeof texts / sizeof texts[0])
        return "unknown status";
    return texts[s];
}
