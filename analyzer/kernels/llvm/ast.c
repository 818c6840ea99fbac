/* ast.c - see ast.h. */
#include "ast.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
    uint64_t id;
    struct cw_ast_node *node;
};

/* A byte of text makes some two hundred of JSON. */
enum { BLOCK = 1024, DEEPEST = 1000, LONGEST = 128 << 10 };

struct block {
    struct block *next;
    struct cw_ast_node node[BLOCK];
};

struct cw_ast {
    json_t *json;
    struct block *blocks;
    size_t used; /* of the first block */
    struct cw_ast_node *root;
    struct named *named; /* declarations, by their id */
    size_t names, room;
    bool nomem, deep;
};

void cw_ast_free(struct cw_ast *a)
{
    if (!a)
        return;
    for (struct block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a->named);
    json_decref(a->json);
    free(a);
}

struct cw_ast_node *cw_ast_root(const struct cw_ast *a)
{
    return a->root;
}

/* ---- reading */

static struct cw_ast_node *new_node(struct cw_ast *a)
{
    if (!a->blocks || a->used == BLOCK) {
        struct block *b = calloc(1, sizeof *b);
        if (!b) {
            a->nomem = true;
            return NULL;
        }
        b->next = a->blocks;
        a->blocks = b;
        a->used = 0;
    }
    return &a->blocks->node[a->used++];
}

static void enter(struct cw_ast *a, const char *id, struct cw_ast_node *n)
{
    if (a->names == a->room) {
        size_t room = a->room ? 2 * a->room : 256;
        struct named *more = realloc(a->named, room * sizeof *more);
        a->nomem |= !more;
        if (!more)
            return;
        a->named = more;
        a->room = room;
    }
    a->named[a->names++] = (struct named){strtoull(id, NULL, 16), n};
}

static const char *word(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));

    return s ? s : "";
}

static enum cw_ast_kind kind_of(const json_t *j)
{
    static const struct {
        const char *name;
        enum cw_ast_kind kind;
    } kinds[] = {
#define X(name) {#name, CW_AST_##name},
        CW_AST_KINDS(X)
#undef X
    };
    const char *name = word(j, "kind");

    if (!*name)
        return CW_AST_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].kind;
    return CW_AST_OTHER;
}

/* A place of the text: that of the macro's name for text that a macro makes. */
static uint32_t offset(const json_t *place, bool behind, bool *macro)
{
    const json_t *made = json_object_get(place, "expansionLoc");

    *macro |= made != NULL;
    if (made)
        place = made;
    return (uint32_t)json_integer_value(json_object_get(place, "offset")) +
           (behind ? (uint32_t)json_integer_value(json_object_get(place, "tokLen")) : 0);
}

static const char *words_of(const json_t *j)
{
    static const char *const keys[] = {"opcode", "castKind", "value", "name", NULL};
    const char *text = "";

    for (size_t i = 0; !*text && keys[i]; i++)
        text = word(j, keys[i]);
    return text;
}

static const char *type_of(const json_t *j)
{
    const json_t *type = json_object_get(j, "type");
    const char *text = word(type, "desugaredQualType");

    return *text ? text : word(type, "qualType");
}

static struct cw_ast_node *read_node(struct cw_ast *a, const json_t *j, struct cw_ast_node *parent,
                                     unsigned depth)
{
    struct cw_ast_node *n = new_node(a), **to;
    const json_t *range = json_object_get(j, "range"), *inner = json_object_get(j, "inner");
    size_t i;
    json_t *child;

    a->deep |= depth > DEEPEST;
    if (!n || a->deep)
        return NULL;
    n->kind = kind_of(j);
    n->parent = parent;
    n->type = type_of(j);
    n->words = n->kind == CW_AST_RecordDecl ? word(j, "tagUsed") : words_of(j);
    n->begin = offset(json_object_get(range, "begin"), false, &n->macro);
    n->end = offset(json_object_get(range, "end"), true, &n->macro);
    n->name_at = offset(json_object_get(j, "loc"), false, &n->macro);
    if (n->kind == CW_AST_FunctionDecl || n->kind == CW_AST_VarDecl || n->kind == CW_AST_ParmVarDecl)
        enter(a, word(j, "id"), n);
    to = &n->first;
    json_array_foreach(inner, i, child)
    {
        *to = read_node(a, child, n, depth + 1);
        if (!*to)
            return NULL;
        to = &(*to)->next;
    }
    return n;
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct named *)a)->id, y = ((const struct named *)b)->id;

    return x < y ? -1 : x > y;
}

/* Second pass, side by side with the JSON: declarations that expressions refer to may stand behind them. */
static void link_node(struct cw_ast *a, const json_t *j, struct cw_ast_node *n)
{
    const json_t *inner = json_object_get(j, "inner");
    struct cw_ast_node *child = n->first;

    if (n->kind == CW_AST_DeclRefExpr) {
        const json_t *decl = json_object_get(j, "referencedDecl");
        struct named key = {strtoull(word(decl, "id"), NULL, 16), NULL}, *found;
        found = a->names ? bsearch(&key, a->named, a->names, sizeof *a->named, by_id) : NULL;
        n->decl = found ? found->node : NULL;
        n->words = word(decl, "name");
    }
    for (size_t i = 0; child; child = child->next)
        link_node(a, json_array_get(inner, i++), child);
}

static enum cw_status read_tree(struct cw_ast *a, const char *text, size_t length, struct cw_error *err)
{
    json_error_t wrong;

    a->json = json_loadb(text, length, 0, &wrong);
    if (!json_is_object(a->json))
        return cw_error_set(err, CW_ERR_FORMAT, "clang's syntax tree: %.100s", wrong.text);
    a->root = read_node(a, a->json, NULL, 0);
    if (a->nomem)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a syntax tree");
    if (!a->root)
        return cw_error_set(err, CW_ERR_LIMIT, "a syntax tree deeper than %d", DEEPEST);
    if (a->names)
        qsort(a->named, a->names, sizeof *a->named, by_id);
    link_node(a, a->json, a->root);
    return CW_OK;
}

enum cw_status cw_ast_read(const struct cw_ir_options *o, const char *text, size_t length,
                           struct cw_ast **ast, struct cw_error *err)
{
    struct cw_bytes tree = {0};
    struct cw_ast *a = NULL;
    enum cw_status s = CW_OK;

    if (length > LONGEST)
        s = cw_error_set(err, CW_ERR_LIMIT, "no syntax tree of more than %d KiB", LONGEST >> 10);
    if (s == CW_OK)
        s = cw_ir_syntax_tree(o, text, length, &tree, err);
    if (s == CW_OK && !(a = calloc(1, sizeof *a)))
        s = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a syntax tree");
    if (s == CW_OK)
        s = read_tree(a, tree.data, tree.n, err);
    free(tree.data);
    if (s != CW_OK) {
        cw_ast_free(a);
        a = NULL;
    }
    *ast = a;
    return s;
}

/* ---- looking */

struct cw_ast_node *cw_ast_following(const struct cw_ast_node *top, const struct cw_ast_node *n)
{
    if (n->first)
        return n->first;
    while (n != top && !n->next)
        n = n->parent;
    return n == top ? NULL : n->next;
}

struct cw_ast_node *cw_ast_child(const struct cw_ast_node *n, unsigned i)
{
    struct cw_ast_node *child = n->first;

    while (child && i--)
        child = child->next;
    return child;
}

struct cw_ast_node *cw_ast_bare(const struct cw_ast_node *n, bool casts)
{
    while (n && n->first && (n->kind == CW_AST_ParenExpr || (casts && n->kind == CW_AST_ImplicitCastExpr)))
        n = n->first;
    return (struct cw_ast_node *)(uintptr_t)n;
}

struct cw_ast_node *cw_ast_body(const struct cw_ast_node *function)
{
    struct cw_ast_node *n = function->first;

    while (n && n->kind != CW_AST_CompoundStmt)
        n = n->next;
    return n;
}

bool cw_ast_is(const struct cw_ast_node *n, enum cw_ast_kind kind, const char *words)
{
    return n->kind == kind && !strcmp(n->words, words);
}
