/* source.c - properties that a program's source shows: may its launches be managed at all, can its kernels
 * see their local size. By its tokens, before any compiler is asked. */

#include <stdlib.h>
#include <string.h>

#include "../../analyzer/kernels/source/cl_source.h"
#include "../../analyzer/kernels/source/header_files.h"
#include "source.h"
#include "../device/device.h"

char *cw_source_join(cl_uint count, const char **strings, const size_t *lengths)
{
    size_t total = 0, n;
    char *text, *to;

    for (cl_uint i = 0; i < count; i++)
        total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    to = text = malloc(total + 1);
    for (cl_uint i = 0; text && i < count; i++) {
        n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(to, strings[i], n);
        to += n;
    }
    if (text)
        *to = '\0';
    return text;
}

static bool begins(const struct cw_cl_token *t, const char *const *words)
{
    for (; t->kind == CW_CL_IDENTIFIER && *words; words++)
        if (t->length >= strlen(*words) && !memcmp(t->text, *words, strlen(*words)))
            return true;
    return false;
}

static bool any(const struct cw_cl_source *s, const char *const *words)
{
    for (size_t i = 0; i < s->count; i++)
        if (begins(&s->tokens[i], words))
            return true;
    for (size_t i = 0; i < s->macro_count_tokens; i++)
        if (begins(&s->macro_tokens[i], words))
            return true;
    return false;
}

/* Side effects that no argument shows: output, other queues, pipes, assembly; and a header that is not known.
 */
static const char *const hidden[] = {"printf",    "__builtin_printf", "enqueue_", "pipe",
                                     "read_pipe", "write_pipe",       "asm",      "__asm",
                                     "ndrange_t", CW_UNREAD_HEADER,   NULL};
/* By these a loop may wait for memory that others write: without them compilers may read it once. Barriers
 * are in many loops, that count: there a wait has one that does not. */
static const char *const watching[] = {"volatile",  "__volatile",     "atom_",           "atomic_",
                                       "mem_fence", "read_mem_fence", "write_mem_fence", NULL};
static const char *const meeting[] = {"barrier", "work_group_barrier", NULL};
static const char *const loops[] = {"for ", "while ", "do ", "goto ", NULL};
static const char *const waiting_loops[] = {"while ", "do ", "goto ", NULL};
/* Macros for the time of the build: a kernel that has one in it is another kernel in another build, be it for
 * a helper or in an earlier run. */
static const char *const dating[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", NULL};
/* By these a kernel can see its local size. */
static const char *const by_group[] = {"get_local_",
                                       "get_group_",
                                       "get_num_groups",
                                       "get_enqueued_",
                                       "get_num_sub",
                                       "get_sub_group",
                                       "get_max_sub",
                                       "barrier",
                                       "work_group_",
                                       "sub_group_",
                                       "local",
                                       "__local",
                                       "async_work_group",
                                       "wait_group",
                                       "reqd_work_group_size",
                                       NULL};
/* Attributes that keep a device from choosing the local size by the ndrange alone. */
static const char *const demanding[] = {"reqd_work_group_size", "work_group_size_hint", "vec_type_hint",
                                        NULL};

static bool is_dated(const struct cw_cl_source *s)
{
    return cw_cl_may_name(s, dating);
}

bool cw_source_may_hide(const struct cw_cl_source *s, const char *options, uint32_t traits)
{
    return cw_cl_may_name(s, hidden) || is_dated(s) ||
           cw_cl_has_variables(s, options, cw_device_language(traits)) || cw_cl_may_hold_addresses(s);
}

bool cw_source_may_poll(const struct cw_cl_source *s, const char *options)
{
    /* then the compiler makes each read of the text */
    bool all = options && strstr(options, "-cl-opt-disable");

    return ((all || cw_cl_may_name(s, watching)) && cw_cl_may_name(s, loops)) ||
           (cw_cl_may_name(s, meeting) && cw_cl_may_name(s, waiting_loops));
}

bool cw_source_watches(const struct cw_cl_source *s)
{
    return cw_cl_may_name(s, watching);
}

bool cw_source_is_dated(const char *source, const char *options)
{
    struct cw_cl_source s;
    bool dated = !cw_cl_source_init(&s, source, options) || is_dated(&s);

    cw_cl_source_finish(&s);
    return dated;
}

bool cw_source_says_all(const char *source, const char *options)
{
    static const char *const output[] = {"printf", "__builtin_printf", NULL};
    struct cw_cl_source s;
    bool all = cw_cl_source_init(&s, source, options) && !s.has_include && !is_dated(&s) &&
               !cw_cl_may_name(&s, output);

    cw_cl_source_finish(&s);
    return all;
}

bool cw_source_is_manageable(const char *source, const char *options)
{
    struct cw_cl_source s;
    bool manageable = cw_cl_source_init(&s, source, options) && !s.has_include;

    cw_cl_source_finish(&s);
    return manageable;
}

/* -cl-mad-enable is not one of them: code for CPUs is the same with it (test/vendor/mad_enable.c). */
bool cw_source_results_vary(const char *options)
{
    static const char *const fast[] = {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations",
                                       "-cl-finite-math-only", "-cl-no-signed-zeros"};

    for (size_t i = 0; options && i < sizeof fast / sizeof *fast; i++)
        if (strstr(options, fast[i]))
            return true;
    return false;
}

bool cw_source_rounds_plainly(const char *options)
{
    static const char *const other[] = {"-cl-mad-enable", "-cl-denorms-are-zero"};

    for (size_t i = 0; options && i < sizeof other / sizeof *other; i++)
        if (strstr(options, other[i]))
            return false;
    return !cw_source_results_vary(options);
}

bool cw_source_fixes_size(const struct cw_cl_source *s)
{
    return s->has_paste || any(s, demanding);
}

bool cw_source_sees_groups(const struct cw_cl_source *s)
{
    return s->has_paste || any(s, by_group);
}
