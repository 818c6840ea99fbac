/* findings_list.c - see findings_list.h. */
#include "findings_list.h"

#include <stdarg.h>
#include <stdio.h>

void cw_findings_list_add(struct cw_findings_list *l, enum cw_finding_kind kind, const char *title,
                          const char *text, ...)
{
    struct cw_finding *f = &l->v[l->count];
    va_list args;

    if (l->count == CW_FINDINGS_MAX)
        return;
    l->count++;
    f->kind = kind;
    snprintf(f->title, sizeof f->title, "%s", title);
    va_start(args, text);
    vsnprintf(f->text, sizeof f->text, text, args);
    va_end(args);
}

const char *cw_findings_list_place(const struct cw_findings_list *l, const char *before,
                                   struct cw_slice callsite, char text[CW_FINDINGS_LIST_TEXT])
{
    char code[CW_CODE_PLACES_TEXT];

    cw_code_places_name(l->places, callsite, code);
    snprintf(text, CW_FINDINGS_LIST_TEXT, "%s%s", code[0] ? before : "", code);
    return text;
}

const char *cw_findings_list_command(const struct cw_findings_list *l, uint32_t command,
                                     char text[CW_FINDINGS_LIST_TEXT])
{
    const struct cw_command *k = &l->t->commands.v[command];
    const char *kernel = k->kernel < l->t->kernels.count ? l->t->kernels.v[k->kernel].name : NULL;
    const char *name = cw_trace_command_function_name(k->type);
    char place[CW_FINDINGS_LIST_TEXT];

    snprintf(text, CW_FINDINGS_LIST_TEXT, "#%u %.40s%s%.60s%.110s", cw_trace_command_number(l->t, command),
             name ? name : cw_trace_command_short_name(k->type), kernel ? " of " : "", kernel ? kernel : "",
             cw_findings_list_place(l, " at ", k->callsite, place));
    return text;
}

double cw_findings_list_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}
