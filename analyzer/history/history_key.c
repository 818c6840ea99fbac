/* history_key.c - see history_key.h. */
#include "history_key.h"

#include <string.h>

#include "../io/file_store.h"

uint64_t cw_history_program(const char *source, const char *options)
{
    uint64_t hash = cw_file_store_hash(CW_FILE_STORE_HASH, source, strlen(source));

    return cw_file_store_hash(hash, options ? options : "", options ? strlen(options) : 0) | 1;
}

uint64_t cw_history_kernel(uint64_t program, const char *name)
{
    return cw_file_store_hash(program, name, strlen(name)) | 1;
}
