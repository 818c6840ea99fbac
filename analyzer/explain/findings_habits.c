/* findings_habits.c - ways to use OpenCL that cost time, and objects that are kept; see findings_list.h. */
#include "findings_list.h"
#include "../io/quantity.h"

#include <stdio.h>

#define N(x) (unsigned long long)(x)

/* "2 of 3 buffers (4 KiB), 1 of 1 context" in `text`. */
void cw_findings_leaks(const struct cw_leaks *k, char text[300])
{
    size_t used = 0;
    char a[16];

    text[0] = '\0';
    for (unsigned i = 0; i < CW_LEAK_KINDS && used < 230; i++) {
        const struct cw_leak *v = &k->kind[i];
        if (!v->kept)
            continue;
        used += (size_t)snprintf(text + used, 300 - used, "%s%llu of %s", used ? ", " : "", N(v->kept),
                                 CW_COUNT(v->made, cw_leaks_name(i)));
        if (v->bytes)
            used += (size_t)snprintf(text + used, 300 - used, " (%s)", cw_quantity_bytes(v->bytes, a));
    }
}

void cw_findings_leak_place(const struct cw_leak *v, char text[200])
{
    char a[16];
    size_t used = (size_t)snprintf(text, 200, "%.60s", v->place);

    if (v->place[0] && v->places > 1) {
        used += (size_t)snprintf(text + used, 200 - used, " (%llu of %llu", N(v->place_kept), N(v->kept));
        if (v->place_bytes)
            used += (size_t)snprintf(text + used, 200 - used, ", %s", cw_quantity_bytes(v->place_bytes, a));
        snprintf(text + used, 200 - used, "; of %s)", CW_COUNT(v->places, "place"));
    }
}

void cw_findings_habits_kept(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_leaks *k = &f->leaks;
    const struct cw_leak *events = &k->kind[CW_LEAK_EVENTS];
    const uint64_t asked = events->made + l->t->process.user_events;
    char kinds[300], place[200], where[400] = "";
    size_t used = 0;

    cw_findings_leaks(k, kinds);
    for (unsigned i = 0; i < CW_LEAK_KINDS && used < 240; i++) {
        cw_findings_leak_place(&k->kind[i], place);
        if (place[0])
            used += (size_t)snprintf(where + used, sizeof where - used, "%s%s %s",
                                     used ? ", " : " The places that leak most: ", cw_leaks_name(i), place);
    }
    if (k->kept)
        cw_findings_list_add(l, k->kept > 8 ? CW_FINDING_HINT : CW_FINDING_NOTE, "Objects are never released",
                             "When the program ended it had kept %s.%s%s", kinds, where, used ? "." : "");
    if (l->t->process.unused_events > 8)
        cw_findings_list_add(l, CW_FINDING_NOTE, "Events that nothing waits for",
                             "The program asked for %llu events and neither waited for %llu of them nor "
                             "asked about them. An enqueue without an event (NULL) is cheaper.",
                             N(asked), N(l->t->process.unused_events));
}

static void find_finishes(struct cw_findings_list *l, const struct cw_habits *h)
{
    char first[CW_FINDINGS_LIST_TEXT];

    if (h->needless_finish.count)
        cw_findings_list_add(l, h->needless_finish.count > 4 ? CW_FINDING_HINT : CW_FINDING_NOTE,
                             "clFinish that is not needed",
                             "%s of clFinish wait%s for nothing, or right before a blocking command of the "
                             "same in-order queue, which waits for the same; the first is %s.",
                             CW_COUNT(h->needless_finish.count, "call"),
                             cw_quantity_verb(h->needless_finish.count),
                             cw_findings_list_command(l, h->needless_finish.first, first));
    if (h->finish_between.count > 4)
        cw_findings_list_add(l, CW_FINDING_HINT, "clFinish between launches",
                             "%llu calls of clFinish stand between two launches of one in-order queue, "
                             "which its order keeps apart; the first is %s. Unless the host looks at results "
                             "then, one at the end is enough.",
                             N(h->finish_between.count),
                             cw_findings_list_command(l, h->finish_between.first, first));
}

void cw_findings_habits(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_habits *h = &f->habits;
    char first[CW_FINDINGS_LIST_TEXT], a[16];

    if (h->single_items.count)
        cw_findings_list_add(l, CW_FINDING_HINT, "Work-groups of one item",
                             "%s %s with a local size of 1; the first is %s. Each work-group costs as much "
                             "as a larger one: pass NULL, or a multiple of the device's preferred size.",
                             CW_COUNT(h->single_items.count, "launch"),
                             h->single_items.count == 1 ? "is" : "are",
                             cw_findings_list_command(l, h->single_items.first, first));
    find_finishes(l, h);
    if (h->pageable.count)
        cw_findings_list_add(l, CW_FINDING_HINT, "Transfers of pageable memory",
                             "%s (%s) of a device with a memory of its own read%s or write%s plain host "
                             "memory; the first is %s. From and to mapped buffers (CL_MEM_ALLOC_HOST_PTR) "
                             "transfers are faster.",
                             CW_COUNT(h->pageable.count, "transfer"), cw_quantity_bytes(h->pageable_bytes, a),
                             cw_quantity_verb(h->pageable.count), cw_quantity_verb(h->pageable.count),
                             cw_findings_list_command(l, h->pageable.first, first));
}
