/* asks.c - a program that asks for functions that run mode knows nothing of, as libraries do when they
 * start, and never calls them; with an argument it calls one in the midst of its commands. */
#include "common.h"

#include <CL/cl_ext.h>

#define ITEMS 64

int main(int argc, char **argv)
{
    static const char *const names[] = {"clCreateCommandBufferKHR", "clFinalizeCommandBufferKHR",
                                        "clEnqueueCommandBufferKHR", "clNoSuchFunctionKHR"};
    clCreateCommandBufferKHR_fn create = NULL;
    static int words[ITEMS];
    struct rm_pair p;
    cl_int err = CL_SUCCESS;

    (void)argv;
    rm_pair_open(&p, "asks", words, ITEMS);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *f = clGetExtensionFunctionAddressForPlatform(p.a.platform, names[i]);
        void *again = clGetExtensionFunctionAddressForPlatform(p.a.platform, names[i]);
        printf("%s: %s\n", names[i], !f ? "none" : f == again ? "there" : "there, at several places");
        if (!i)
            memcpy(&create, &f, sizeof f);
    }
    for (int i = 0; i < 40; i++) {
        rm_pair_run(&p, 100, i);
        if (argc > 1 && i == 20 && create) /* no queue: it is refused */
            printf("created: %d\n", !!create(0, NULL, NULL, &err));
    }
    if (argc > 1)
        printf("error %d\n", err);
    return rm_pair_close(&p, words);
}
