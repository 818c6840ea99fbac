/* groups_order.h - priority numbers, blocks and groups over a net of tiles: the inside of groups.h. */
#ifndef CW_GROUPS_ORDER_H
#define CW_GROUPS_ORDER_H

#include "groups_net.h"

/* Coordinates and priorities count in this fraction of a tile, so that they are exact. */
enum { CW_GROUPS_UNIT = 1 << 16 };

/* The key that decides a tile's place. */
struct cw_groups_key {
    uint32_t block, group;
    uint32_t row;        /* group in the first dimension */
    uint32_t late, lane; /* late: apart, and it depends on another lane's tiles of its block */
    int64_t priority;    /* P in the dimension that lanes share; rule max: P */
    uint32_t tile;       /* in program order, so by step, then by tile */
};

struct cw_groups_order {
    const struct cw_groups_net *net;
    const struct cw_groups_options *options;
    uint32_t dims;                 /* of the steps' grids, at least 1 */
    uint32_t most[CW_GROUPS_DIMS]; /* tiles of the step that has most, in each */
    int64_t *at;                   /* dims coordinates of each tile */
    bool *spread;                  /* step of one tile that meets tiles far apart */
    uint32_t *block;               /* of each step */
    uint32_t *level;               /* effective step in its block */
    int64_t *shift;                /* dims of each step */
    struct cw_groups_key *key;     /* of each tile, by number: blocks ascend */
    uint32_t blocks, groups, height;
    uint32_t width[CW_GROUPS_DIMS];
    uint32_t slide; /* the dimension in which groups follow each other; those before it are cut into strips */
    int64_t reach[CW_GROUPS_DIMS];   /* R */
    int64_t forward[CW_GROUPS_DIMS]; /* the same for dependences on tiles that stand behind, where steps lean;
                                        else R */
};

/* Fills `o`. Errors: CW_ERR_NOMEM; finish in any case. */
enum cw_status cw_groups_order_init(struct cw_groups_order *o, const struct cw_groups_net *net,
                                    const struct cw_groups_options *options, struct cw_error *err);
void cw_groups_order_finish(struct cw_groups_order *o);

/* The shift of each step as if all were one block. */
enum cw_status cw_groups_shifts(struct cw_groups_order *o, const struct cw_groups_net *net,
                                struct cw_error *err);

/* Shift and effective step of `s` in the block that begins with step `first`. */
void cw_groups_place_step(struct cw_groups_order *o, uint32_t first, uint32_t s);

/* Chooses o->width and o->slide (groups_width.c). *drawn: the caller's, for options that chaos draws. Errors:
 * CW_ERR_NOMEM. */
enum cw_status cw_groups_widths(struct cw_groups_order *o, struct cw_groups_options *drawn,
                                struct cw_error *err);

/* Puts steps into blocks, o->shift and o->level within them (groups_block.c). */
enum cw_status cw_groups_blocks(struct cw_groups_order *o, struct cw_error *err);

/* The same, and the bytes that go through the window of all blocks, in *bytes, as far as the widths tell. */
enum cw_status cw_groups_weigh(struct cw_groups_order *o, double *bytes, struct cw_error *err);

/* The last two, in blocks that o->block says. Errors: CW_ERR_NOMEM. */
enum cw_status cw_groups_shift_blocks(struct cw_groups_order *o, struct cw_error *err);

/* The keys of all tiles. */
void cw_groups_order_keys(struct cw_groups_order *o);

/* What the tiles of one group touch (groups_reuse.c). */
struct cw_groups_use {
    uint32_t block;
    uint64_t accessed, touched; /* bytes: of each access, and each byte once */
};

/* Fills use[] of each group, without steps of one tile. sequence[]: numbers of the tiles, those of a group
 * together; by_number[]: their groups. False: memory is out. */
bool cw_groups_uses(const struct cw_groups_order *o, const uint32_t *sequence,
                    const struct cw_groups_tile *by_number, struct cw_groups_use *use);

/* Steps of blocks whose groups reuse too little (options->reuse) become a block each. *changed: any were. The
 * keys are new then. Errors: CW_ERR_NOMEM. */
enum cw_status cw_groups_bound_reuse(struct cw_groups_order *o, const struct cw_groups_use *use,
                                     uint32_t groups, bool *changed, struct cw_error *err);

#endif
