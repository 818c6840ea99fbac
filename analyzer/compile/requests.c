/* requests.c - see requests.h. A request is a list of fields as an identity is (io/identity.h). */
#include "requests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KIND           "request 4"
#define MOST_VARIABLES 64

void cw_requests_init(struct cw_requests *r, const char *folder)
{
    char own[PATH_MAX];

    if (!*folder || snprintf(own, sizeof own, "%s/requests", folder) >= (int)sizeof own)
        *own = '\0';
    cw_file_store_init(&r->store, own);
    snprintf(r->folder, sizeof r->folder, "%s", *r->store.folder ? r->store.above : "");
    r->num_tried = 0;
    r->of_all = false;
    r->store.most_files = CW_REQUESTS_FILES;
    r->store.most_bytes = CW_REQUESTS_BYTES;
}

void cw_requests_results(const struct cw_requests *r, enum cw_request_kind kind, struct cw_file_store *store)
{
    static const char *const names[CW_REQUEST_KINDS] = {"kernels", "builds", "footprints", "compiled"};
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", r->folder, names[kind]) >= (int)sizeof path)
        *path = '\0';
    cw_file_store_init(store, path);
}

/* ---- the environment */

static bool matters(const char *variable)
{
    static const char *const heads[] = {"POCL_", "OCL_ICD_",       "OPENCL_VENDOR_PATH=", "HOME=",
                                        "LC_",   "XDG_CACHE_HOME", "CLWEAVE_CLANG=",      "CLWEAVE_FAULT="};

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (!strncmp(variable, heads[i], strlen(heads[i])))
            return true;
    return false;
}

const char **cw_requests_environment(char *const *from)
{
    size_t n = 0, bytes = 0;
    const char **list;
    char *to;

    for (char *const *v = from; v && *v; v++)
        if (matters(*v) && n++ < MOST_VARIABLES)
            bytes += strlen(*v) + 1;
    n = n < MOST_VARIABLES ? n : MOST_VARIABLES;
    list = malloc((n + 1) * sizeof *list + bytes);
    if (!list)
        return NULL;
    to = (char *)(list + n + 1);
    n = 0;
    for (char *const *v = from; v && *v; v++)
        if (matters(*v) && n < MOST_VARIABLES) {
            list[n++] = to;
            to = stpcpy(to, *v) + 1;
        }
    list[n] = NULL;
    return list;
}

static bool has(const char *const *list, const char *variable)
{
    while (*list && strcmp(*list, variable) != 0)
        list++;
    return *list;
}

/* The two lists have the same variables, in any order. */
static bool same_environment(const char *const *a, const char *const *b)
{
    for (const char *const *v = a; *v; v++)
        if (!has(b, *v))
            return false;
    for (const char *const *v = b; *v; v++)
        if (!has(a, *v))
            return false;
    return true;
}

bool cw_requests_is_for(const struct cw_request *q, char *const *environment)
{
    const char **own = cw_requests_environment(environment);
    bool same = own && same_environment(own, q->environment);

    free(own);
    return same;
}

/* ---- fields */

/* The next of the fields at *at; false: there is none. An empty one is NULL. */
static bool field(const char **at, const char *end, const char **bytes, uint64_t *n)
{
    if ((size_t)(end - *at) < sizeof *n)
        return false;
    memcpy(n, *at, sizeof *n);
    *at += sizeof *n;
    if (*n > (size_t)(end - *at))
        return false;
    *bytes = *n ? *at : NULL;
    *at += *n;
    return true;
}

static bool text_field(const char **at, const char *end, const char **text)
{
    uint64_t n;

    return field(at, end, text, &n) && (!n || !(*text)[n - 1]);
}

static bool number_field(const char **at, const char *end, uint64_t *number)
{
    const char *bytes;
    uint64_t n;

    if (!field(at, end, &bytes, &n) || n != sizeof *number)
        return false;
    memcpy(number, bytes, n);
    return true;
}

/* The arguments lie anywhere: only answer.c reads them, out of a copy. */
static bool launch_fields(const char **at, const char *end, struct cw_request *q)
{
    const char *range, *args;
    uint64_t n;

    if (!text_field(at, end, &q->kernel) || !field(at, end, &range, &n) || n != sizeof q->range)
        return false;
    memcpy(&q->range, range, n);
    if (!field(at, end, &args, &n) || n % sizeof *q->arg || n / sizeof *q->arg > UINT32_MAX)
        return false;
    q->args = (uint32_t)(n / sizeof *q->arg);
    q->arg = (const struct cw_compile_arg *)(const void *)args;
    return true;
}

/* Its file's identity; the caller's to finish. */
static struct cw_identity identity_of(const struct cw_request *q)
{
    struct cw_identity id;

    cw_identity_begin(&id, KIND);
    cw_identity_number(&id, q->kind);
    cw_identity_add(&id, q->result.bytes, q->result.length);
    id.failed |= q->result.failed;
    return id;
}

/* Its file's contents, likewise. */
static struct cw_identity contents_of(const struct cw_request *q)
{
    struct cw_identity data;

    cw_identity_begin(&data, KIND);
    cw_identity_number(&data, q->failed);
    cw_identity_number(&data, q->failed_s);
    cw_identity_number(&data, q->units);
    cw_identity_number(&data, q->took_ns);
    cw_identity_number(&data, q->builds);
    cw_identity_text(&data, q->device);
    cw_identity_text(&data, q->source);
    cw_identity_text(&data, q->options);
    cw_identity_text(&data, q->program);
    cw_identity_text(&data, q->kernel);
    cw_identity_add(&data, &q->range, sizeof q->range);
    cw_identity_add(&data, q->arg, q->args * sizeof *q->arg);
    for (const char *const *v = q->environment; v && *v; v++)
        cw_identity_text(&data, *v);
    return data;
}

static bool parse_identity(const struct cw_identity *id, struct cw_request *q)
{
    const char *at = (const char *)id->bytes, *end = at + id->length, *kind, *result;
    uint64_t number, n;

    if (!text_field(&at, end, &kind) || !kind || strcmp(kind, KIND) != 0 ||
        !number_field(&at, end, &number) || number >= CW_REQUEST_KINDS || !field(&at, end, &result, &n) ||
        !n || at != end)
        return false;
    q->kind = (enum cw_request_kind)number;
    q->result.bytes = malloc(n);
    q->result.length = q->result.capacity = n;
    q->result.failed = !q->result.bytes;
    if (q->result.bytes)
        memcpy(q->result.bytes, result, n);
    return q->result.bytes;
}

/* `list`: room for the environment. `at` becomes NULL-ended text that q points to. */
static bool parse(const char *at, size_t bytes, const char **list, struct cw_request *q)
{
    const char *end = at + bytes, *kind = NULL;
    uint64_t failed = 0, units = 0;
    size_t n = 0;

    q->environment = list;
    if (!text_field(&at, end, &kind) || !kind || strcmp(kind, KIND) != 0 ||
        !number_field(&at, end, &failed) || !number_field(&at, end, &q->failed_s) ||
        !number_field(&at, end, &units) || !number_field(&at, end, &q->took_ns) ||
        !number_field(&at, end, &q->builds) || !text_field(&at, end, &q->device) ||
        !text_field(&at, end, &q->source) || !text_field(&at, end, &q->options) ||
        !text_field(&at, end, &q->program) || !launch_fields(&at, end, q))
        return false;
    while (at < end)
        if (n == MOST_VARIABLES || !text_field(&at, end, &list[n]) || !list[n++])
            return false;
    list[n] = NULL;
    q->failed = (uint32_t)failed;
    q->units = (uint32_t)units;
    return q->device && q->source && q->program;
}

/* ---- files */

bool cw_requests_read(const struct cw_requests *r, const char *name, struct cw_request *q)
{
    struct cw_identity id;
    size_t bytes = 0;
    char *data = cw_file_store_read_name(&r->store, name, &id, &bytes), *stored;

    *q = (struct cw_request){0};
    if (!data)
        return false;
    /* the list first, as the environment's pointer is what is freed */
    stored = malloc((MOST_VARIABLES + 1) * sizeof(char *) + bytes);
    if (stored) {
        char *text = stored + (MOST_VARIABLES + 1) * sizeof(char *);

        memcpy(text, data, bytes);
        if (!parse(text, bytes, (const char **)stored, q) || !parse_identity(&id, q)) {
            free(stored);
            cw_identity_finish(&q->result);
            *q = (struct cw_request){0};
        }
    }
    free(data);
    cw_identity_finish(&id);
    return q->environment;
}

void cw_requests_finish(struct cw_request *q)
{
    free((void *)(uintptr_t)q->environment);
    cw_identity_finish(&q->result);
    *q = (struct cw_request){0};
}

/* The store trims itself once in a process; here each time, as there are few files. */
static void write_file(struct cw_requests *r, const struct cw_identity *id, const struct cw_request *q)
{
    struct cw_identity data = contents_of(q);

    r->store.trimmed = false;
    if (!data.failed)
        cw_file_store_write(&r->store, id, data.bytes, data.length);
    cw_identity_finish(&data);
}

bool cw_requests_write(struct cw_requests *r, const struct cw_request *q)
{
    struct cw_identity id = identity_of(q);
    char name[CW_FILE_STORE_NAME_BYTES];
    struct cw_request there;
    bool good;

    cw_file_store_name(&id, name);
    if (id.failed || !*r->folder) {
        cw_identity_finish(&id);
        return false;
    }
    if (!cw_requests_read(r, name, &there)) {
        write_file(r, &id, q);
        good = cw_requests_read(r, name, &there);
        good = good && cw_identity_same(&there.result, &q->result); /* there may be no room for it */
    } else if (cw_identity_same(&there.result, &q->result)) {
        good = there.failed < CW_REQUESTS_TRIES;
        if (!good && (uint64_t)time(NULL) >= there.failed_s + CW_REQUESTS_REST_S) {
            struct cw_request again = *q; /* with the environment of now */

            again.failed = CW_REQUESTS_TRIES - 1;
            write_file(r, &id, &again);
            good = true;
        }
    } else { /* two with one key: the first stays */
        good = false;
    }
    cw_requests_finish(&there);
    cw_identity_finish(&id);
    return good;
}

bool cw_requests_can_be_written(const struct cw_requests *r)
{
    int saved = errno, at = cw_file_store_open(&r->store, true);
    bool can = at >= 0 && faccessat(at, ".", W_OK, AT_EACCESS) == 0;

    if (at >= 0)
        close(at);
    errno = saved;
    return can;
}

static bool waits(const struct cw_requests *r, const char *name)
{
    struct cw_request q;
    bool waits;

    for (size_t i = 0; i < r->num_tried; i++)
        if (!strcmp(r->tried[i], name))
            return false;
    if (r->num_tried == CW_REQUESTS_TRIED || !cw_requests_read(r, name, &q))
        return false;
    waits = q.failed < CW_REQUESTS_TRIES && (r->of_all || cw_requests_is_for(&q, environ));
    cw_requests_finish(&q);
    return waits;
}

bool cw_requests_next(const struct cw_requests *r, char name[CW_FILE_STORE_NAME_BYTES])
{
    size_t n, i = 0;
    char(*names)[CW_FILE_STORE_NAME_BYTES] = cw_file_store_list(&r->store, &n);

    while (i < n && !waits(r, names[i]))
        i++;
    if (i < n)
        memcpy(name, names[i], sizeof *names);
    free(names);
    return i < n;
}

size_t cw_requests_count(const struct cw_requests *r)
{
    size_t n, waiting = 0;
    char(*names)[CW_FILE_STORE_NAME_BYTES] = cw_file_store_list(&r->store, &n);

    for (size_t i = 0; i < n; i++)
        waiting += waits(r, names[i]);
    free(names);
    return waiting;
}

void cw_requests_done(struct cw_requests *r, const char *name)
{
    int saved = errno, at = cw_file_store_open(&r->store, false);

    if (at >= 0) {
        if (unlinkat(at, name, 0) != 0 && r->num_tried < CW_REQUESTS_TRIED)
            memcpy(r->tried[r->num_tried++], name, sizeof *r->tried); /* else it would be made without end */
        close(at);
    }
    errno = saved;
}

void cw_requests_failed(struct cw_requests *r, const char *name)
{
    struct cw_request q;
    struct cw_identity id;

    if (!cw_requests_read(r, name, &q))
        return;
    memcpy(r->tried[r->num_tried++], name, sizeof *r->tried);
    q.failed++;
    q.failed_s = (uint64_t)time(NULL);
    id = identity_of(&q);
    write_file(r, &id, &q);
    cw_identity_finish(&id);
    cw_requests_finish(&q);
}
