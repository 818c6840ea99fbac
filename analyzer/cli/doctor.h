/* doctor.h - what `clweave doctor` finds, and the places where it looks. */
#ifndef CW_DOCTOR_H
#define CW_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Findings are collected, and printed at the end: a place that takes long shows nothing half. */
struct cw_doctor {
    json_t *facts;       /* of {section, name, text} */
    json_t *problems;    /* of {problem, mend} */
    char cannot[256];    /* why run cannot work at all; "": it can */
    unsigned managed;    /* devices of the program's that run manages */
    unsigned streamed;   /* that run has streams and staged transfers for */
    unsigned helpers;    /* devices that run would add */
    unsigned processors; /* that this process may use */
    char device[256];    /* name of the first managed one */
};

/* A fact; section and name are of a few words. */
void cw_doctor_fact(struct cw_doctor *d, const char *section, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A finding in the way of gaining. `mend`: a command to type. */
void cw_doctor_problem(struct cw_doctor *d, const char *mend, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, and run cannot work at all; the first such text stands in the last line. */
void cw_doctor_obstacle(struct cw_doctor *d, const char *mend, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The places. Each adds facts and problems; none fails, and each is over in seconds. */
void cw_doctor_machine(struct cw_doctor *d); /* processors, load, limits; sets d->processors: first */
void cw_doctor_vendors(struct cw_doctor *d);

/* Runs a part of the doctor, or a program, in a process that may crash or hang. */

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
