/* doctor_ask.h - runs a part of the doctor, or a program, in a process that may crash or hang. */
#ifndef CW_DOCTOR_ASK_H
#define CW_DOCTOR_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cw_doctor_answer {
    char *text; /* all that came, with a NUL; malloc'ed */
    int status; /* wait status */
    bool late;  /* it was ended, as it took longer than `seconds` */
};

/* Calls ask(fd, argument) in a child with quiet standard streams; what it writes to `fd` is the answer.
 * False: no process or memory could be had; then *a is all zero. */
bool cw_doctor_ask(void (*ask)(int fd, const void *argument), const void *argument, unsigned seconds,
                   struct cw_doctor_answer *a);

/* The same of a program, argv[0] by name or path, and its standard output. */
bool cw_doctor_ask_program(const char *const *argv, unsigned seconds, struct cw_doctor_answer *a);

/* How the child ended, for people: "was killed by signal 11 (Segmentation fault)". At most `size` bytes. */
const char *cw_doctor_ask_end(const struct cw_doctor_answer *a, char *text, size_t size);

#endif
