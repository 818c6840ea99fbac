/* tilecl_program.c - private copies of a program: as it was, rewritten, and its models. See tilecl.h. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "tilecl_private.h"

#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct side side;

static bool pick_basic(cl_platform_id platform)
{
    cl_device_id d[16];
    cl_uint n = 0, found = 0;

    v.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, d, &n);
    for (cl_uint i = 0; i < n && i < 16 && found < 2; i++) {
        char name[256] = "";
        v.clGetDeviceInfo(d[i], CL_DEVICE_NAME, sizeof name, name, NULL);
        if (!strncmp(name, "basic", 5))
            side.device[found++] = d[i];
    }
    return found == 2;
}

static bool pick_sub(cl_platform_id platform)
{
    cl_device_id d, sub[64];
    cl_uint n = 0;
    const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};

    if (v.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &d, NULL) ||
        v.clCreateSubDevices(d, how, 64, sub, &n) || n < 2)
        return false;
    side.device[0] = sub[0];
    side.device[1] = sub[1];
    return true;
}

static bool open_side(void)
{
    const char *two = getenv("TILECL_TWO");
    cl_platform_id platform;

    if (side.context)
        return true;
    if (v.clGetPlatformIDs(1, &platform, NULL) ||
        !(two && !strcmp(two, "basic") ? pick_basic(platform) : pick_sub(platform))) {
        say("error no two devices\n");
        return false;
    }
    side.context = v.clCreateContext(NULL, 2, side.device, NULL, NULL, NULL);
    for (int i = 0; i < 2 && side.context; i++)
        side.queue[i] = v.clCreateCommandQueue(side.context, side.device[i], CL_QUEUE_PROFILING_ENABLE, NULL);
    return side.context && side.queue[0] && side.queue[1];
}

static cl_program build(const char *source, const char *options, const char *more, int device)
{
    cl_program p = v.clCreateProgramWithSource(side.context, 1, &source, NULL, NULL);
    char *all = malloc(strlen(options) + strlen(more) + 1);
    bool ok;

    sprintf(all, "%s%s", options, more);
    ok = p && v.clBuildProgram(p, 1, &side.device[device], all, NULL, NULL) == CL_SUCCESS;
    free(all);
    return ok ? p : NULL;
}

/* The options for a shell, which would take some of their characters for its own. */
static char *for_shell(const char *options)
{
    char *text = malloc(2 * strlen(options) + 1), *out = text;

    for (; *options; options++) {
        if (strchr("()<>;&|$*?[]{}!", *options))
            *out++ = '\\';
        *out++ = *options;
    }
    *out = '\0';
    return text;
}

/* What `command` prints for the source in a file and the options; NULL when it fails. */
static char *filter(const char *command, const char *options, const char *source)
{
    char path[] = "/tmp/tilecl-XXXXXX", *line = NULL, *text = NULL, *preload = getenv("LD_PRELOAD");
    char *words = for_shell(options);
    int fd = mkstemp(path);
    size_t size = 0, length = strlen(source);
    FILE *f;

    if (fd < 0 || write(fd, source, length) != (ssize_t)length ||
        asprintf(&line, "%s %s %s", command, words, path) < 0)
        abort();
    close(fd);
    preload = preload ? strdup(preload) : NULL;
    unsetenv("LD_PRELOAD");
    f = popen(line, "r");
    text = calloc(1, 1);
    for (int c; f && (c = fgetc(f)) != EOF;) {
        if ((size & (size + 1)) == 0)
            text = realloc(text, 2 * size + 4);
        text[size++] = (char)c;
        text[size] = '\0';
    }
    if (!f || pclose(f)) {
        free(text);
        text = NULL;
    }
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    free(preload);
    unlink(path);
    free(line);
    free(words);
    return text;
}

static bool read_models(struct private_program *q, const char *options, const char *source)
{
    const char *footprint = getenv("TILECL_FOOTPRINT");
    char *command = NULL, *text;
    struct cw_error err = {0};

    if (!footprint || asprintf(&command, "%s --models", footprint) < 0)
        return false;
    text = filter(command, options, source);
    free(command);
    if (!text)
        return false;
    return cw_model_set_read(&q->models, "models", text, strlen(text), &err) == CW_OK;
}

static void list_kernels(struct program_record *p)
{
    static char names[1 << 16];

    v.clGetProgramInfo(p->handle, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    for (char *n = strtok(names, ";"); n && p->kernels < MAX_KERNELS; n = strtok(NULL, ";"))
        snprintf(p->kernel[p->kernels++].name, sizeof p->kernel->name, "%s", n);
}

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    return cw_header_files_read(files, name, includer);
}

static bool rewrite(struct program_record *p, const char *source, struct cw_rewrite_out *out)
{
    const char *names[MAX_KERNELS];
    struct cw_rewrite_unit unit = {source, p->options};
    struct cw_rewrite_in in = {
        .forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .kernel = names, .kernels = p->kernels};
    struct cw_header_files headers;
    bool ok;

    for (size_t i = 0; i < p->kernels; i++)
        names[i] = p->kernel[i].name;
    if (cw_header_files_init(&headers, p->options)) {
        in.read_header = read_header;
        in.context = &headers;
    }
    ok = cw_rewrite(&in, out, NULL) == CW_OK && out->source;
    cw_header_files_finish(&headers);
    return ok;
}

void tilecl_prepare(struct program_record *p)
{
    struct private_program *q = calloc(1, sizeof *q);
    struct cw_rewrite_out out = {0};
    const char *how = "", *preprocess = getenv("TILECL_PREPROCESS");
    char *text = NULL, why[256] = "";
    bool ok;

    list_kernels(p);
    p->private = q;
    if (!open_side() || !(q->original = build(p->source, p->options, "", 0)))
        return;
    ok = rewrite(p, p->source, &out);
    if (!ok && preprocess && (text = filter(preprocess, p->options, p->source))) {
        snprintf(why, sizeof why, "%s", out.reason);
        cw_rewrite_finish(&out);
        ok = rewrite(p, text, &out);
        how = " preprocessed";
    }
    if (!ok) {
        say("program %p: refused%s: %s (%s) kernels %zu options %s\n", (void *)p, how, out.reason, why,
            p->kernels, p->options);
    } else {
        for (int i = 0; i < 2; i++)
            q->rewritten[i] = build(out.source[0], p->options, i ? " -w -DTILECL_OTHER=1" : " -w", i);
        say("program %p: rewritten%s%s%s%s kernels %zu options %s\n", (void *)p, how, *why ? " because " : "",
            why, q->rewritten[0] ? "" : " BUT DOES NOT BUILD", p->kernels, p->options);
        if (!q->rewritten[0])
            say("%s\n", out.source[0]);
    }
    for (size_t i = 0; i < p->kernels; i++) {
        q->verdict[i] = out.kernel ? out.kernel[i].verdict : CW_REWRITE_REFUSED;
        q->rows[i] = out.kernel && out.kernel[i].rows;
        say("kernel %s: %s%s%s%s\n", p->kernel[i].name, cw_rewrite_verdict_name(q->verdict[i]),
            q->rows[i] ? ", in rows" : "", out.kernel && out.kernel[i].reason ? ": " : "",
            out.kernel && out.kernel[i].reason ? out.kernel[i].reason : "");
    }
    if (q->rewritten[0] && !(q->has_models = read_models(q, p->options, p->source)))
        say("program %p: no models\n", (void *)p);
    p->usable = q->rewritten[0] && q->rewritten[1] && q->has_models;
    cw_rewrite_finish(&out);
    free(text);
}
