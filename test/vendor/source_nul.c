/* source_nul.c - PoCL reads a program's text up to the first NUL, be it that the length of a string counts
 * one, or that text or other strings follow. run mode reads it so, too (shim/run/api/program.c). */
#include "common.h"

#include <string.h>

static cl_int builds(const struct vendor *v, cl_uint n, const char **text, const size_t *lengths)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(v->context, n, text, lengths, &err);

    APP_CHECK(err);
    err = clBuildProgram(p, 0, NULL, "", NULL, NULL);
    APP_CHECK(clReleaseProgram(p));
    return err;
}

int main(void)
{
    static const char kernel[] = "kernel void k(global int *x) { x[0] = 1; }\n",
                      behind[] = "kernel\0no C at all";
    struct vendor v;

    vendor_open(&v, "pthread", NULL, "");
    vendor_expect(builds(&v, 1, (const char *[]){kernel}, (size_t[]){sizeof kernel}) == CL_SUCCESS,
                  "a length may count the NUL");
    vendor_expect(builds(&v, 2, (const char *[]){kernel, "no C at all"}, (size_t[]){sizeof kernel, 0}) ==
                      CL_SUCCESS,
                  "a string behind a NUL is not read");
    vendor_expect(builds(&v, 2, (const char *[]){"", behind}, (size_t[]){0, sizeof behind}) != CL_SUCCESS,
                  "text before a NUL is read");
    vendor_expect(builds(&v, 1, (const char *[]){"int f(void);\0no C at all"}, (size_t[]){24}) == CL_SUCCESS,
                  "text behind a NUL is not read");
    vendor_close(&v);
    return vendor_status();
}
