/* lacking.c - calls one OpenCL function, behind a kernel, with objects for parameters that want objects and
 * zeros for all else, and prints the answer. Where the vendor lacks the function it may end the process.
 *
 * usage: lacking list | lacking NAME; list: all functions of shim/door/api.inc, one a line. */
#include "common.h"

#include <dlfcn.h>

#define LONGEST 16 /* parameters */

typedef uintptr_t word;
typedef word any(word, word, word, word, word, word, word, word, word, word, word, word, word, word, word,
                 word);

enum kind { CODE, ERRCODE, NULLPTR, NOTHING };

static const struct function {
    const char *name;
    enum kind fail;
    const char *params;
} functions[] = {
#define CW_API(ret, name, since, fail, handle, params, args) {#name, fail, #params},
#include "../../shim/door/api.inc"
};

static struct app a;
static cl_mem buffer;
static cl_kernel kernel;
static cl_event event;

static bool begins(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/* For a parameter "type name". */
static uintptr_t value_of(const char *param)
{
    const struct {
        const char *begin;
        uintptr_t value;
    } values[] = {{"const cl_event *", (uintptr_t)&event},
                  {"cl_uint num_events", 1},
                  {"cl_platform_id platform", (uintptr_t)a.platform},
                  {"cl_device_id ", (uintptr_t)a.device},
                  {"cl_context ", (uintptr_t)a.context},
                  {"cl_command_queue ", (uintptr_t)a.queue},
                  {"cl_program ", (uintptr_t)a.program},
                  {"cl_kernel ", (uintptr_t)kernel},
                  {"cl_mem ", (uintptr_t)buffer},
                  {"cl_event ", (uintptr_t)event},
                  {"cl_GLuint ", 1}};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (begins(param, values[i].begin) && (i == 0 || param[strlen(values[i].begin)] != '*'))
            return values[i].value;
    return 0;
}

/* The values of the parameters in "(type name, type (*name)(types), ...)". */
static void fill(uintptr_t *arg, const char *params)
{
    int depth = 0, n = 0;

    for (const char *p = params; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 1 && (*p == '(' || *p == ',') && n < LONGEST)
            arg[n++] = value_of(p + 1 + (*p == ','));
    }
}

static int call(const struct function *f)
{
    uintptr_t arg[LONGEST] = {0}, got;
    any *address;

    *(void **)&address = dlsym(RTLD_DEFAULT, f->name);
    if (!address) {
        printf("%s: not there\n", f->name);
        return 0;
    }
    fill(arg, f->params);
    got = address(arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6], arg[7], arg[8], arg[9], arg[10],
                  arg[11], arg[12], arg[13], arg[14], arg[15]);
    if (f->fail == CODE)
        printf("%s: %d\n", f->name, (int)got);
    else
        printf("%s: %s\n", f->name, f->fail == NOTHING ? "returns" : got ? "something" : "NULL");
    return 0;
}

static void open_objects(void)
{
    cl_uint word = 1;

    app_open(&a, "lacking", CL_QUEUE_PROFILING_ENABLE,
             "kernel void turn(global uint *x) { x[get_global_id(0)] *= 3; }");
    buffer = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof word, &word);
    kernel = app_kernel(&a, "turn");
    app_args(kernel, "m", buffer);
    app_run(a.queue, kernel, 1, 1, 0, NULL, &event);
    APP_CHECK(clFinish(a.queue));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "list";

    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(name, "list") != 0)
        open_objects();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, "list"))
            puts(functions[i].name);
        else if (!strcmp(functions[i].name, name))
            return call(&functions[i]);
    return strcmp(name, "list") != 0;
}
