/* json_tree.h - a JSON file of any kind as a tree, for large files: two allocations grow instead of one for
 * each value, and members of one array or object lie side by side.
 *
 * `where` is the path of the object that holds the key, as in json_fields.h. A tree that is read may be
 * shared by threads. */
#ifndef CW_JSON_TREE_H
#define CW_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"

enum cw_json_kind { CW_JSON_WORD, CW_JSON_NUMBER, CW_JSON_STRING, CW_JSON_ARRAY, CW_JSON_OBJECT };

struct cw_json_node {
    double number;
    uint32_t key; /* place of the member's name in the text; 0: no member */
    uint32_t at;  /* of a string: its place; of an array or object: its first member */
    uint32_t count;
    uint32_t kind; /* enum cw_json_kind */
};

struct cw_json_tree {
    struct cw_json_node *node; /* the root is the last */
    char *text;                /* strings, each ended by a zero byte */
    size_t nodes, node_space, bytes, text_space;
};

/* Reads `path`, which must hold one JSON object and nothing behind it, with no name twice in an object.
 * Finish `t` in any case. Errors: CW_ERR_IO, CW_ERR_FORMAT ("file:line:column: fault"), CW_ERR_LIMIT,
 * CW_ERR_NOMEM. */
enum cw_status cw_json_tree_read(struct cw_json_tree *t, const char *path, struct cw_error *err);
void cw_json_tree_finish(struct cw_json_tree *t);

const struct cw_json_node *cw_json_tree_root(const struct cw_json_tree *t);

/* Member `i`, below count; the member of that name, NULL: there is none, or `object` is NULL or no object. */
const struct cw_json_node *cw_json_tree_item(const struct cw_json_tree *t, const struct cw_json_node *array,
                                             size_t i);
const struct cw_json_node *cw_json_tree_member(const struct cw_json_tree *t,
                                               const struct cw_json_node *object, const char *key);

/* The string; NULL: it is none, or NULL. */
const char *cw_json_tree_string(const struct cw_json_tree *t, const struct cw_json_node *value);

/* Members as json_fields.h reads them, with the same messages. */
enum cw_status cw_json_tree_get_number(const struct cw_json_tree *t, const struct cw_json_node *object,
                                       const char *where, const char *key, bool optional, double *value,
                                       struct cw_error *err);
enum cw_status cw_json_tree_get_string(const struct cw_json_tree *t, const struct cw_json_node *object,
                                       const char *where, const char *key, bool optional, const char **value,
                                       struct cw_error *err);
enum cw_status cw_json_tree_get_array(const struct cw_json_tree *t, const struct cw_json_node *object,
                                      const char *where, const char *key, bool optional,
                                      const struct cw_json_node **value, struct cw_error *err);

#endif
