/* requester FOLDER STEP...: leaves requests for the builder in FOLDER, as run mode does, or looks at them.
 *
 *   program K    a binary of a program that is made for K; "bad": one that does not compile; "endless": whose
 *                compiler does not end
 *   stand-in     of a program with options
 *   models       of its kernel
 *   count        prints how many wait
 *   has          prints, for each request that a step has written, whether its result is there */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../analyzer/compile/requests.h"
#include "../../analyzer/kernels/source/vendor_compiler.h"

enum { MOST = 64 };

static struct cw_requests requests;
static char device[1400], compiler[1400];
static struct {
    struct cw_identity id;
    enum cw_request_kind kind;
} left[MOST];
static size_t num_left;

static const char *source_of(const char *word, char text[16384])
{
    char *to = text;

    if (!strcmp(word, "bad"))
        return "kernel void f(global int *x) { x[0] = nothing_of_that_name; }";
    if (strcmp(word, "endless") != 0) {
        snprintf(text, 16384, "kernel void f(global int *x) { x[get_global_id(0)] = %d; }", atoi(word));
        return text;
    }
    to += sprintf(to, "#define A0 1 +\n"); /* a sum that takes minutes */
    for (int i = 1; i < 36; i++)
        to += sprintf(to, "#define A%d A%d A%d\n", i, i - 1, i - 1);
    sprintf(to, "#if A35 1\n#endif\nkernel void f(global int *x) { x[0] = 1; }");
    return text;
}

static void write_one(enum cw_request_kind kind, const char *word)
{
    static char text[16384];
    const char **environment = cw_requests_environment(environ);
    struct cw_request q = {.kind = kind,
                           .device = kind == CW_REQUEST_MODELS ? compiler : device,
                           .source = source_of(word, text),
                           .options = "-DA=1",
                           .program = "requester",
                           .builds = 3,
                           .took_ns = 1000000,
                           .environment = environment};

    cw_identity_begin(&q.result, "requester");
    cw_identity_number(&q.result, kind);
    cw_identity_text(&q.result, q.source);
    printf("%s: %s\n", word, cw_requests_write(&requests, &q) ? "left" : "not left");
    left[num_left].kind = kind;
    left[num_left++].id = q.result;
    free(environment);
}

static void look(void)
{
    for (size_t i = 0; i < num_left; i++) {
        struct cw_file_store store;
        size_t bytes = 0;
        char *data;

        cw_requests_results(&requests, left[i].kind, &store);
        data = cw_file_store_read(&store, &left[i].id, &bytes);
        printf("result %zu: %s\n", i, data ? "there" : "not there");
        free(data);
    }
}

static bool describe(void)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    cl_platform_id platforms[8];
    cl_device_id d;
    cl_uint n = 0;

    if (clGetPlatformIDs(8, platforms, &n) != CL_SUCCESS)
        return false;
    for (cl_uint p = 0; p < n && p < 8; p++)
        if (cw_vendor_is_pocls(&calls, platforms[p]) &&
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &d, NULL) == CL_SUCCESS)
            return cw_vendor_describe_driver(&calls, d, device, sizeof device) &&
                   cw_vendor_describe(&calls, d, compiler, sizeof compiler);
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !describe()) {
        puts("no PoCL device");
        return 77;
    }
    cw_requests_init(&requests, argv[1]);
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "count"))
            printf("%zu wait\n", cw_requests_count(&requests));
        else if (!strcmp(argv[i], "has"))
            look();
        else if (!strcmp(argv[i], "program") && i + 1 < argc)
            write_one(CW_REQUEST_PROGRAM, argv[++i]);
        else
            write_one(!strcmp(argv[i], "models") ? CW_REQUEST_MODELS : CW_REQUEST_STAND_IN, argv[i]);
    }
    return 0;
}
