/* pocl_binary.c - see pocl_binary.h. The format: lib/CL/pocl_binary.c of PoCL 3.1 (version 9)
 * and 6.0 (version 11). Numbers are little-endian,
 * as this machine's are. */
#include "pocl_binary.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 9, VERSION_6_0 = 11, EXECUTABLE = 4, DIMENSIONS = 3 };

struct reader {
    const unsigned char *at, *end;
    bool good;
};

static uint64_t number(struct reader *r, size_t bytes)
{
    uint64_t n = 0;

    r->good = r->good && (size_t)(r->end - r->at) >= bytes;
    if (!r->good)
        return 0;
    memcpy(&n, r->at, bytes);
    r->at += bytes;
    return n;
}

static const unsigned char *skip(struct reader *r, uint64_t bytes)
{
    const unsigned char *at = r->at;

    r->good = r->good && (uint64_t)(r->end - r->at) >= bytes;
    if (r->good)
        r->at += bytes;
    return at;
}

static bool read_head(struct reader *r, struct cw_pocl_binary *b, uint32_t *kernels)
{
    const unsigned char *name = skip(r, 8);
    uint64_t version, flags, roots;

    if (!r->good || memcmp(name, "poclbin", 8) != 0)
        return false;
    number(r, 8); /* the device */
    version = number(r, 4);
    *kernels = (uint32_t)number(r, 4);
    flags = number(r, 8);
    roots = number(r, 4);
    b->build = skip(r, CW_POCL_BINARY_BUILD);
    if (version == VERSION_6_0)
        number(r, 8); /* bytes of program-scope variables */
    return r->good && (version == VERSION || version == VERSION_6_0) && flags >> 32 == EXECUTABLE &&
           roots == 1;
}

/* The one file that stands before the kernels. */
static void read_root(struct reader *r, struct cw_pocl_binary *b)
{
    static const char name[] = "/program.bc";
    uint64_t bytes = number(r, 8), length = number(r, 4), size;
    const unsigned char *path = skip(r, length);

    r->good = r->good && length == sizeof name - 1 && !memcmp(path, name, length);
    size = number(r, 4);
    b->bitcode = skip(r, size);
    b->bitcode_bytes = size;
    r->good = r->good && bytes == 4 + length + 4 + size;
}

static void read_kernel(struct reader *r, struct cw_pocl_binary *b)
{
    const unsigned char *begin = r->at;
    uint64_t bytes = number(r, 8);

    number(r, 8);
    number(r, 4);
    skip(r, number(r, 4)); /* the name */
    number(r, 4);
    number(r, 4);
    for (int d = 0; d < DIMENSIONS; d++)
        b->demands |= number(r, 8) != 0;
    r->good = r->good && bytes >= (uint64_t)(r->at - begin) && bytes <= (uint64_t)(r->end - begin);
    if (r->good)
        r->at = begin + bytes;
}

bool cw_pocl_binary_read(struct cw_pocl_binary *b, const unsigned char *bytes, size_t n)
{
    struct reader r = {bytes, bytes + n, true};
    uint32_t kernels = 0;

    *b = (struct cw_pocl_binary){0};
    r.good = read_head(&r, b, &kernels);
    if (r.good)
        read_root(&r, b);
    for (uint32_t i = 0; i < kernels && r.good; i++)
        read_kernel(&r, b);
    return r.good && r.at == r.end;
}

/* ---- devices */

/* PoCL's number of a device: of DRIVER-PROCESSOR. */
static uint64_t number_of(const char *driver, const char *processor, size_t n)
{
    uint64_t number = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < strlen(driver) + n; i++) {
        number *= UINT64_C(0x100000001b3);
        number ^= (unsigned char)(i < strlen(driver) ? driver[i] : processor[i - strlen(driver)]);
    }
    return number;
}

bool cw_pocl_binary_readdress(unsigned char *bytes, size_t n, const char *to)
{
    static const char *const driver[] = {"pthread", "basic", "cpu"}; /* "cpu" of 6.0 is both */
    static const char mark[] = "HSTR: ";
    const char *name = strstr(to, mark), *processor;
    uint64_t is = 0, wanted = 0;
    bool same = false;
    size_t length;

    if (!name || n < 16)
        return false;
    name += sizeof mark - 1;
    length = strcspn(name, " ");
    memcpy(&is, bytes + 8, sizeof is);
    for (size_t i = 0; i < sizeof driver / sizeof *driver; i++) {
        size_t d = strlen(driver[i]);

        if (length > d && !memcmp(name, driver[i], d) && name[d] == '-')
            wanted = number_of(driver[i], name + d, length - d);
    }
    processor = memchr(name, '-', length);
    for (size_t i = 0; wanted && i < sizeof driver / sizeof *driver; i++)
        same |= is == number_of(driver[i], processor, length - (size_t)(processor - name));
    if (same)
        memcpy(bytes + 8, &wanted, sizeof wanted);
    return same;
}
