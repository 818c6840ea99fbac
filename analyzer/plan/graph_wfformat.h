/* graph_wfformat.h - shared by the parts of the WfFormat reader: the workflow while it is read. */
#ifndef CW_GRAPH_WFFORMAT_H
#define CW_GRAPH_WFFORMAT_H

#include "../io/json_tree.h"
#include "../io/name_table.h"
#include "graph_format.h"

struct cw_wf_use { /* a task writes or reads a file */
    uint32_t file, task;
    double bytes; /* NAN: not given */
};

struct cw_wf_uses {
    struct cw_wf_use *v;
    size_t count, capacity;
};

struct cw_wf_link {
    uint32_t from, to;
    double bytes;
};

struct cw_wf {
    struct cw_json_tree tree;
    const struct cw_json_node *tasks, *ran; /* ran: workflow.execution.tasks, NULL before 1.5 */
    const char *where;                      /* path of `tasks` */
    struct cw_name_table ids, names, files;
    uint32_t *of_name; /* per name: its task, CW_NAME_NONE when several have it */
    double *size;      /* per file, bytes; NAN: not known */
    double *seconds;   /* per task, NAN: not known */
    struct cw_wf_uses writes, reads;
    struct cw_wf_link *link;
    size_t links, link_space;
    struct cw_error *err;
};

/* Reads which files each task reads and writes, and their sizes, and adds the bytes to w->link, which is
 * sorted. `specification` holds the sizes in version 1.5. Errors: CW_ERR_FORMAT, CW_ERR_NOMEM, in w->err. */
enum cw_status cw_graph_wf_read_files(struct cw_wf *w, const struct cw_json_node *specification);

/* The order of links: by their ends. For qsort and bsearch. */
int cw_graph_wf_by_ends(const void *a, const void *b);

/* "workflow.tasks[7]" */
const char *cw_graph_wf_at(const struct cw_wf *w, size_t i, char text[64]);

enum cw_status cw_graph_wf_no_memory(const struct cw_wf *w);

/* Member `key`, or where it is missing `older` (NULL: none), as a number from 0 on; `optional` as in
 * json_fields.h. */
enum cw_status cw_graph_wf_number(const struct cw_wf *w, const struct cw_json_node *object, const char *where,
                                  const char *key, const char *older, bool optional, double *value);

#endif
