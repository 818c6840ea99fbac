/* stream_object.c - see streams/stream_object.h. */
#include "stream_object.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BUCKETS 4096u

void (*cw_stream_object_free[CW_STREAM_KINDS])(void *object);

static struct cw_stream_object *table[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool some;
static atomic_uint num[CW_STREAM_KINDS]; /* records in the table */

static struct cw_stream_object **bucket_of(const void *handle)
{
    return &table[((uintptr_t)handle >> 4 ^ (uintptr_t)handle >> 16) % BUCKETS];
}

bool cw_stream_object_any(void)
{
    return atomic_load_explicit(&some, memory_order_relaxed);
}

/* A thread that has a handle from its maker sees the record counted. */
static bool has(enum cw_stream_kind kind)
{
    return atomic_load_explicit(&num[kind], memory_order_relaxed);
}

bool cw_stream_object_in_use(void)
{
    return has(CW_STREAM_QUEUE) || has(CW_STREAM_EVENT);
}

static struct cw_stream_object *find(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o = *bucket_of(handle);

    while (o && (o->handle != handle || o->kind != kind))
        o = o->next;
    return o;
}

static void take_out(struct cw_stream_object *o)
{
    struct cw_stream_object **at = bucket_of(o->handle);

    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    o->refs = 0;
    num[o->kind]--;
}

static void free_object(struct cw_stream_object *o)
{
    if (cw_stream_object_free[o->kind])
        cw_stream_object_free[o->kind](o);
    free(o);
}

void *cw_stream_object_create(const void *handle, enum cw_stream_kind kind, size_t bytes)
{
    struct cw_stream_object *o = calloc(1, bytes), *stale;

    if (!o)
        return NULL;
    *o = (struct cw_stream_object){.handle = handle, .kind = kind, .refs = 1};
    pthread_mutex_lock(&lock);
    stale = find(handle, kind);
    if (stale) {
        take_out(stale);
        stale = stale->pins ? NULL : stale;
    }
    o->next = *bucket_of(handle);
    *bucket_of(handle) = o;
    num[kind]++;
    pthread_mutex_unlock(&lock);
    if (stale)
        free_object(stale);
    if (kind == CW_STREAM_CONTEXT)
        atomic_store(&some, true);
    return o;
}

void *cw_stream_object_find(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o;

    if (!handle || !has(kind))
        return NULL;
    pthread_mutex_lock(&lock);
    o = find(handle, kind);
    pthread_mutex_unlock(&lock);
    return o;
}

void *cw_stream_object_pin(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o;

    if (!handle || !has(kind))
        return NULL;
    pthread_mutex_lock(&lock);
    o = find(handle, kind);
    if (o)
        o->pins++;
    pthread_mutex_unlock(&lock);
    return o;
}

void cw_stream_object_pin_again(void *object)
{
    struct cw_stream_object *o = object;

    pthread_mutex_lock(&lock);
    o->pins++;
    pthread_mutex_unlock(&lock);
}

void cw_stream_object_unpin(void *object)
{
    struct cw_stream_object *o = object;
    bool unused;

    pthread_mutex_lock(&lock);
    unused = !--o->pins && !o->refs;
    pthread_mutex_unlock(&lock);
    if (unused)
        free_object(o);
}

void cw_stream_object_retained(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o;

    if (!handle || !has(kind))
        return;
    pthread_mutex_lock(&lock);
    o = find(handle, kind);
    if (o)
        o->refs++;
    pthread_mutex_unlock(&lock);
}

void cw_stream_object_forget(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o;

    pthread_mutex_lock(&lock);
    o = find(handle, kind);
    if (o)
        take_out(o);
    pthread_mutex_unlock(&lock);
}

bool cw_stream_object_released(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o;
    bool last, unused;

    if (!handle || !has(kind))
        return false;
    pthread_mutex_lock(&lock);
    o = find(handle, kind);
    last = o && o->refs == 1;
    if (last)
        take_out(o);
    else if (o)
        o->refs--;
    unused = last && !o->pins;
    pthread_mutex_unlock(&lock);
    if (unused)
        free_object(o);
    return last;
}

void cw_stream_object_each(enum cw_stream_kind kind, void (*function)(void *object))
{
    for (uint32_t i = 0; i < BUCKETS; i++) {
        struct cw_stream_object *of[16];
        uint32_t n = 0;

        pthread_mutex_lock(&lock);
        for (struct cw_stream_object *o = table[i]; o && n < 16; o = o->next)
            if (o->kind == kind) {
                o->pins++;
                of[n++] = o;
            }
        pthread_mutex_unlock(&lock);
        for (uint32_t k = 0; k < n; k++) {
            function(of[k]);
            cw_stream_object_unpin(of[k]);
        }
    }
}

void cw_stream_object_forget_all(void)
{
    pthread_mutex_init(&lock, NULL);
    for (uint32_t i = 0; i < BUCKETS; i++)
        table[i] = NULL;
    for (uint32_t i = 0; i < CW_STREAM_KINDS; i++)
        num[i] = 0;
    atomic_store(&some, false);
}
