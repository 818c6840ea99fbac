/* ast.h - the syntax tree of an OpenCL C text, as clang has read it (-ast-dump=json), with places in the
 * text. */
#ifndef CW_FOOTPRINT_AST_H
#define CW_FOOTPRINT_AST_H

#include "ir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Classes of clang's, by their names there; all others are OTHER, an absent child (of a ForStmt, say) is
 * NONE. */
#define CW_AST_KINDS(X)                                                                                      \
    X(FunctionDecl)                                                                                          \
    X(ParmVarDecl)                                                                                           \
    X(VarDecl)                                                                                               \
    X(ReqdWorkGroupSizeAttr)                                                                                 \
    X(WorkGroupSizeHintAttr)                                                                                 \
    X(VecTypeHintAttr)                                                                                       \
    X(OpenCLKernelAttr)                                                                                      \
    X(OverloadableAttr)                                                                                      \
    X(CompoundStmt)                                                                                          \
    X(ReturnStmt)                                                                                            \
    X(BreakStmt)                                                                                             \
    X(ContinueStmt)                                                                                          \
    X(SwitchStmt)                                                                                            \
    X(RecordDecl)                                                                                            \
    X(DeclStmt)                                                                                              \
    X(IfStmt)                                                                                                \
    X(ForStmt)                                                                                               \
    X(WhileStmt)                                                                                             \
    X(DoStmt)                                                                                                \
    X(GotoStmt)                                                                                              \
    X(ParenExpr)                                                                                             \
    X(ImplicitCastExpr)                                                                                      \
    X(CStyleCastExpr)                                                                                        \
    X(DeclRefExpr)                                                                                           \
    X(IntegerLiteral)                                                                                        \
    X(FloatingLiteral)                                                                                       \
    X(CharacterLiteral)                                                                                      \
    X(BinaryOperator)                                                                                        \
    X(CompoundAssignOperator)                                                                                \
    X(UnaryOperator)                                                                                         \
    X(ConditionalOperator)                                                                                   \
    X(BinaryConditionalOperator)                                                                             \
    X(OpaqueValueExpr)                                                                                       \
    X(CallExpr)                                                                                              \
    X(ArraySubscriptExpr)                                                                                    \
    X(MemberExpr)                                                                                            \
    X(ExtVectorElementExpr)                                                                                  \
    X(InitListExpr)                                                                                          \
    X(CompoundLiteralExpr)

enum cw_ast_kind {
    CW_AST_OTHER,
    CW_AST_NONE,
#define X(name) CW_AST_##name,
    CW_AST_KINDS(X)
#undef X
};

struct cw_ast_node {
    enum cw_ast_kind kind;
    uint32_t begin, end;       /* bytes [begin, end) of the text; 0, 0: of none */
    uint32_t name_at;          /* declarations: where their name stands */
    bool macro;                /* some end of it is made by a macro */
    bool written;              /* variables: more is done with it than reading its value */
    uint8_t term, turns, cuts; /* of variables, once they are looked at (rows_terms.c) */
    const char *type;          /* without typedefs; "" for nodes without one */
    const char *words; /* operators: "+"; casts: "IntegralCast"; literals: their value; declarations: their
                          name; records: "struct", "union"; else "" */
    struct cw_ast_node *decl; /* DeclRefExpr: the declaration that it names; NULL: none of the text's */
    struct cw_ast_node *parent, *first, *next;
};

/* Owns its nodes and words. Belongs to one thread. */
struct cw_ast;

/* Reads `text` as clang does with these options. CW_ERR_NOTFOUND, CW_ERR_FORMAT (it does not compile; clang
 * says something else than expected), CW_ERR_LIMIT (more than 128 KiB, or nested too deeply), CW_ERR_IO,
 * CW_ERR_NOMEM. */
enum cw_status cw_ast_read(const struct cw_ir_options *o, const char *text, size_t length,
                           struct cw_ast **ast, struct cw_error *err);
void cw_ast_free(struct cw_ast *ast); /* NULL is fine */

/* The whole; its children are declarations. */
struct cw_ast_node *cw_ast_root(const struct cw_ast *ast);

/* The next node of the tree below `top`, parents before their children; NULL: `n` is the last one. Begin with
 * n = top. */
struct cw_ast_node *cw_ast_following(const struct cw_ast_node *top, const struct cw_ast_node *n);
/* Child i, or NULL. */
struct cw_ast_node *cw_ast_child(const struct cw_ast_node *n, unsigned i);
/* Without brackets, and, `casts`, without implicit conversions. */
struct cw_ast_node *cw_ast_bare(const struct cw_ast_node *n, bool casts);
/* The body of a function, or NULL. */
struct cw_ast_node *cw_ast_body(const struct cw_ast_node *function);
bool cw_ast_is(const struct cw_ast_node *n, enum cw_ast_kind kind, const char *words);

#endif
