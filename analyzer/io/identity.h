/* identity.h - the identity of an entry of a cache, and the key that finds it.
 *
 * An identity is a list of fields: everything that the entry depends on (its kind and version, sources,
 * options, device, driver ...). Each field is written with its length before it, so that two lists are the
 * same bytes only where all their fields are the same. A cache finds an entry by the key of its identity, and
 * compares the identity: that two keys are the same says nothing.
 *
 * Where memory runs out, the identity is `failed`: it stands for nothing, and is in no cache. Not
 * thread-safe; no global state but cw_identity_one_key. */
#ifndef CW_IDENTITY_H
#define CW_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: an empty one. */
struct cw_identity {
    unsigned char *bytes;
    size_t length, capacity;
    bool failed;
};

/* 128 bits; all zero is the key of nothing. */
struct cw_key {
    uint64_t half[2];
};

/* Begins with the first field. `kind`: which cache this is for, and the version of its contents. */
void cw_identity_begin(struct cw_identity *id, const char *kind);
void cw_identity_finish(struct cw_identity *id);

void cw_identity_add(struct cw_identity *id, const void *bytes, size_t n);
void cw_identity_text(struct cw_identity *id, const char *text); /* NULL is another field than "" */
void cw_identity_number(struct cw_identity *id, uint64_t number);

/* Field `number` (the first is 0); *n: its bytes. NULL: there is none. A text has its NUL. */
const void *cw_identity_field(const struct cw_identity *id, unsigned number, size_t *n);

/* False where one of them has failed. */
bool cw_identity_same(const struct cw_identity *a, const struct cw_identity *b);

struct cw_key cw_identity_key(const struct cw_identity *id);

/* The same of plain bytes: XXH3, by which a file's contents are checked, too. */
struct cw_key cw_identity_key_of_bytes(const void *bytes, size_t n);

static inline bool cw_key_same(struct cw_key a, struct cw_key b)
{
    return a.half[0] == b.half[0] && a.half[1] == b.half[1];
}

static inline bool cw_key_none(struct cw_key k)
{
    return !k.half[0] && !k.half[1];
}

/* Another key, of the same thing in another `role`. */
static inline struct cw_key cw_key_as(struct cw_key k, uint64_t role)
{
    k.half[0] ^= role;
    return k;
}

/* For tests: all identities have one key. Set before the first of them is made. */
extern bool cw_identity_one_key;

/* ---- a set of identities in memory: each has a number, from 0 on. All zero: an empty one. */

struct cw_identity_set {
    struct cw_identity_item {
        struct cw_identity id;
        struct cw_key key;
    } * item;
    uint32_t n, capacity;
};

#define CW_IDENTITY_NONE UINT32_MAX

/* The number of `id`, or CW_IDENTITY_NONE. O(members), most of which are told apart by their keys. */
uint32_t cw_identity_set_find(const struct cw_identity_set *s, const struct cw_identity *id);

/* The same, and it is copied into the set if it is not there. CW_IDENTITY_NONE: memory is out. */
uint32_t cw_identity_set_add(struct cw_identity_set *s, const struct cw_identity *id);

void cw_identity_set_finish(struct cw_identity_set *s);

/* The CRC-32 of IEEE 802.3 (as zip has it), to notice damage, not attacks. */

/* Of bytes that follow those whose CRC is `crc` (0: none). Thread-safe. O(bytes). */
uint32_t cw_crc32(uint32_t crc, const void *data, size_t bytes);

#endif
