/* history_key.c - see history.h. */
#include "history.h"

static struct cw_key take_key(struct cw_identity *id)
{
    struct cw_key key = cw_identity_key(id);

    cw_identity_finish(id);
    return key;
}

struct cw_key cw_history_program(const char *source, const char *options)
{
    struct cw_identity id;

    cw_identity_begin(&id, "program");
    cw_identity_text(&id, options ? options : "");
    cw_identity_text(&id, source);
    return take_key(&id);
}

struct cw_key cw_history_kernel(struct cw_key program, const char *name)
{
    struct cw_identity id;

    cw_identity_begin(&id, "kernel");
    cw_identity_add(&id, &program, sizeof program);
    cw_identity_text(&id, name);
    return take_key(&id);
}
