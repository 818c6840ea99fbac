/* coherence.c - see memory/coherence.h. */
#include "coherence.h"

static uint64_t bit(uint32_t memory)
{
    return UINT64_C(1) << memory;
}

/* One that is as quick as the host's memory, the last of them: the program's own device comes behind helpers
 * (device/context_devices.c). Else the host's, where the bytes are valid there: any other source takes two
 * copies. */
static uint32_t source_of(uint64_t valid, uint64_t direct)
{
    uint64_t quick = valid & direct;

    return quick                         ? 63 - (uint32_t)__builtin_clzll(quick)
           : valid & bit(CW_MEMORY_HOST) ? CW_MEMORY_HOST
                                         : (uint32_t)__builtin_ctzll(valid);
}

uint32_t cw_coherence_moves(const struct cw_extents *e, uint64_t low, uint64_t high, uint32_t memory,
                            uint64_t direct, struct cw_coherence_move *move, uint32_t most, bool *lost)
{
    struct cw_extent piece;
    uint32_t n = 0;

    *lost = false;
    direct = direct & bit(memory) ? direct : 0;
    for (; n < most && cw_extents_missing(e, low, high, bit(memory), &piece); low = piece.high) {
        uint32_t from = piece.valid ? source_of(piece.valid, direct) : CW_MEMORY_HOST;
        bool is_direct = direct & bit(from);

        *lost = !n && !piece.valid;
        if (*lost || (n && !is_direct))
            break;
        move[n++] = (struct cw_coherence_move){piece.low, piece.high, from,
                                               is_direct || from == CW_MEMORY_HOST ? memory : CW_MEMORY_HOST};
        if (!is_direct)
            break;
    }
    return n;
}

void cw_coherence_moved(struct cw_extents *e, const struct cw_coherence_move *move)
{
    cw_extents_change(e, move->low, move->high, UINT64_MAX, bit(move->to));
}

void cw_coherence_written(struct cw_extents *e, uint64_t low, uint64_t high, uint32_t memory)
{
    cw_extents_change(e, low, high, 0, bit(memory));
}

bool cw_coherence_failed(struct cw_extents *e, uint64_t low, uint64_t high, uint32_t memory)
{
    struct cw_extent piece;

    cw_extents_change(e, low, high, ~bit(memory), 0);
    for (uint64_t at = low; cw_extents_missing(e, at, high, UINT64_MAX, &piece); at = piece.high)
        if (!piece.valid)
            return false;
    return true;
}
