/* claims.c - changes what forms for rows take for granted, one thing at a time: whatever makes another text
 * of the form has to be refused by the proof (kernels/llvm/rows_proof.h). Arguments: sources. Prints how
 * many were changed; 1: some was not refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/io/text.h"
#include "../../analyzer/kernels/llvm/rows_proof.h"

static const char *path;
static unsigned changed, missed, forms;
static const struct cw_ast *tree;
static char *right; /* the form's text as it is */

/* `r` is changed; `what` and number `i` say how. */
static void try(const struct cw_rw_rows *r, const char *what, uint32_t i)
{
    char *text = cw_rewrite_rows_text(r);

    if (!text)
        exit(2);
    if (strcmp(text, right)) {
        changed++;
        if (!cw_rows_proof(tree, r)) {
            missed++;
            fprintf(stderr, "%s: not refused: %s of %u\n", path, what, i);
        }
    }
    free(text);
}

#define WITH(member, value)                                                                                  \
    do {                                                                                                     \
        __typeof__(member) old = member;                                                                     \
        member = (value);                                                                                    \
        try(r, #member " = " #value, i);                                                                     \
        member = old;                                                                                        \
    } while (0)

static void range(struct cw_rw_rows *r, struct cw_rw_range *a, const char *what, uint32_t i)
{
    for (int k = 0; k < 4; k++) {
        struct cw_rw_range old = *a;
        a->first += (uint32_t)(k == 0) - (uint32_t)(k == 1);
        a->end += (uint32_t)(k == 2) - (uint32_t)(k == 3);
        if (a->first < a->end && a->first > r->f->body_open && a->end < r->f->body_close)
            try(r, what, i);
        *a = old;
    }
}

static void atoms(struct cw_rw_rows *r)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};

    for (uint32_t i = 0; i < r->atoms; i++) {
        struct cw_rw_atom *a = &r->atom[i], old = *a;
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
            strcpy(a->op, ops[k]);
            try(r, "the operator", i);
            *a = old;
        }
        if (a->moving || r->condition[a->condition].join) /* else inside and at the border change places */
            WITH(a->value, !a->value);
        WITH(a->moving, !a->moving);
        WITH(a->down, !a->down);
        WITH(a->swapped, !a->swapped);
        WITH(a->condition, (a->condition + 1) % r->conditions);
        for (uint32_t k = 0; k < (r->loops ? 3 : 0); k++)
            WITH(a->turn, k);
        range(r, &a->all, "all", i);
        if (!r->condition[a->condition].clamp || a->left.first != r->condition[a->condition].sum.first)
            range(r, &a->left, "the left side", i);
        range(r, &a->right, "the right side", i);
        a->left = old.right;
        a->right = old.left;
        try(r, "its sides", i);
        *a = old;
        a->left = a->right;
        try(r, "one side", i);
        *a = old;
    }
    r->atoms--;
    try(r, "the last atom", r->atoms);
    r->atoms++;
}

static void conditions(struct cw_rw_rows *r)
{
    for (uint32_t i = 0; i < r->conditions; i++) {
        struct cw_rw_condition *c = &r->condition[i];
        WITH(c->join, c->join == '&' ? '|' : '&');
        WITH(c->join, '\0');
        if (!c->known)
            WITH(c->known, true); /* the other way it only says less */
        WITH(c->clamp, !c->clamp);
        WITH(c->fixed, !c->fixed);
        range(r, &c->all, "a condition", i);
        if (c->clamp)
            range(r, &c->sum, "a sum", i);
    }
}

static void others(struct cw_rw_rows *r)
{
    for (uint32_t i = 0; i < r->variables; i++) {
        struct cw_rw_variable *v = &r->variable[i];
        WITH(v->term, v->term % 3 + 1);
        WITH(v->token, v->token + 1);
        range(r, &v->type, "a type", i);
        range(r, &v->value, "a value", i);
    }
    for (uint32_t i = 0; i < r->loops; i++) {
        WITH(r->loop[i].first, r->loop[i].first + 1);
        WITH(r->loop[i].last, r->loop[i].last - 1);
        WITH(r->loop[i].head, r->loop[i].head + 1);
        WITH(r->loop[i].name, r->parameter[0].name);
    }
    for (uint32_t i = 0; i < r->parameters; i++)
        WITH(r->parameter[i].name, r->parameter[(i + 1) % r->parameters].name);
    if (r->loops) {
        r->loops--;
        try(r, "the last loop", r->loops);
        r->loops++;
    }
}

static bool look(void *context, const char *kernel, const struct cw_rw_rows *form, uint64_t key)
{
    struct cw_ir_options none = {0};
    struct cw_rw_rows *r = malloc(sizeof *r);
    struct cw_ast *ast = NULL;
    struct cw_error err = {0};

    (void)context, (void)kernel, (void)key;
    if (!r || cw_ast_read(&none, form->t->text, form->t->length, &ast, &err) != CW_OK) {
        free(r);
        return false;
    }
    tree = ast;
    *r = *form;
    right = cw_rewrite_rows_text(r);
    if (!cw_rows_proof(tree, r)) { /* else there is nothing to refuse */
        forms++;
        atoms(r);
        conditions(r);
        others(r);
    }
    free(right);
    free(r);
    cw_ast_free(ast);
    return false;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct cw_file_text file;
        struct cw_rewrite_unit unit = {NULL, NULL};
        struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms, .unit = &unit, .units = 1, .rows = look};
        struct cw_rewrite_out out;
        char *source;
        path = argv[i];
        if (cw_file_text_open(&file, path, NULL) != CW_OK || !(source = strndup(file.text, file.length)))
            return 2;
        unit.source = source;
        if (cw_rewrite(&in, &out, NULL) == CW_OK)
            cw_rewrite_finish(&out);
        free(source);
        cw_file_text_close(&file);
    }
    printf("%u changes of %u forms, %u not refused\n", changed, forms, missed);
    return missed != 0;
}
