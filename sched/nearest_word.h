/* nearest_word.h - the known word that a mistyped one may stand for. */
#ifndef CW_NEAREST_WORD_H
#define CW_NEAREST_WORD_H

/* The word of `words` (ended by NULL) with the least edit distance to `word`; NULL when none is near (more
 * than a third of its letters wrong). For "did you mean". */
const char *cw_nearest_word(const char *word, const char *const *words);

#endif
