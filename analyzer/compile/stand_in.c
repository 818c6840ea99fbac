#include "requests.h"

#include <stdlib.h>
#include <string.h>

struct cw_stand_in *cw_stand_in_read(const struct cw_file_store *s, const struct cw_identity *id)
{
    size_t bytes = 0;
    struct cw_stand_in *a = cw_file_store_read(s, id, &bytes);

    if (a && bytes >= sizeof *a && a->bytes == bytes - sizeof *a)
        return a;
    free(a);
    return NULL;
}

const unsigned char *cw_stand_in_binary(const struct cw_stand_in *a)
{
    return a->bytes ? (const unsigned char *)(a + 1) : NULL;
}

void cw_stand_in_write(struct cw_file_store *s, const struct cw_identity *id, const struct cw_stand_in *head,
                       const void *binary)
{
    char *data = malloc(sizeof *head + head->bytes), *to;

    if (!data)
        return;
    to = mempcpy(data, head, sizeof *head);
    if (head->bytes)
        memcpy(to, binary, head->bytes);
    cw_file_store_write(s, id, data, sizeof *head + head->bytes);
    free(data);
}
