/* nearest_word.c - see nearest_word.h. */
#include "nearest_word.h"

#include <string.h>

#define WORD_MAX 64

static size_t edit_distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], la = strlen(a), lb = strlen(b);

    if (la > WORD_MAX || lb > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            size_t removed = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < removed ? replaced : removed;
        }
    }
    return row[lb];
}

const char *cw_nearest_word(const char *word, const char *const *words)
{
    const char *best = NULL;
    size_t least = (strlen(word) + 2) / 3 + 1;

    for (; *words; words++) {
        size_t distance = edit_distance(word, *words);
        if (distance < least) {
            least = distance;
            best = *words;
        }
    }
    return best;
}
