/* form_code.c - the arrays of a compiled launch. See form_internal.h. */
#include "form_internal.h"

#include <stdlib.h>
#include <string.h>

bool cw_form_copy(struct cw_code *to, const struct cw_code *from, bool moved_only)
{
    static const bool moves[FORM_ARRAY_COUNT] = {
        [FORM_ARRAY_box] = true, [FORM_ARRAY_guard] = true, [FORM_ARRAY_term] = true};
    bool ok = true;
#define X(name)                                                                                              \
    ok = ok && cw_form_room(&to->name, 0, from->name##s, &to->name##_room, sizeof *to->name);                \
    if (ok && from->name##s && (!moved_only || moves[FORM_ARRAY_##name]))                                    \
        memcpy(to->name, from->name, (size_t)from->name##s * sizeof *to->name);                              \
    to->name##s = from->name##s;
    FORM_ARRAYS(X)
#undef X
    memcpy(to->ragged, from->ragged, sizeof to->ragged);
    return ok;
}

void cw_form_finish(struct cw_code *code)
{
#define X(name) free(code->name);
    FORM_ARRAYS(X)
#undef X
}
