/* define_parts.h - functions shared by the files that describe objects in the log. Used by define*.c only. */
#ifndef CW_DEFINE_PARTS_H
#define CW_DEFINE_PARTS_H

#include "recorder.h"

/* value = the answer of `get`(object, param), zero for an error */
#define QUERY(get, object, param, value)                                                                     \
    do {                                                                                                     \
        memset(&(value), 0, sizeof(value));                                                                  \
        if (cw_traced.get(object, param, sizeof(value), &(value), NULL) != CL_SUCCESS)                       \
            memset(&(value), 0, sizeof(value));                                                              \
    } while (0)

/* Appends the string that `get` answers, "" for an error. */
#define QUERY_STRING(r, get, object, param)                                                                  \
    do {                                                                                                     \
        size_t bytes_ = 0;                                                                                   \
        char *text_ = NULL;                                                                                  \
        if (cw_traced.get(object, param, 0, NULL, &bytes_) == CL_SUCCESS && bytes_)                          \
            text_ = calloc(1, bytes_ + 1);                                                                   \
        if (bytes_ && !text_)                                                                                \
            cw_log_stop("out of memory");                                                                    \
        if (text_ && cw_traced.get(object, param, bytes_, text_, NULL) != CL_SUCCESS)                        \
            text_[0] = '\0';                                                                                 \
        cw_log_rec_string(r, text_);                                                                         \
        free(text_);                                                                                         \
    } while (0)

/* Fill `r` with the vendor's answers about an object (entry `o`) and commit it. */
void cw_define_describe_program(struct cw_rec *r, struct cw_object *o, cl_program program);

/* The devices of a program, the caller's to free; NULL: none. */
cl_device_id *cw_define_program_devices(cl_program program, size_t *count);

#endif
