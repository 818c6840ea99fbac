/* code_places.c - see explain.h. */
#include "explain.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* elfutils/libdwfl.h, the part that is used; addresses are 64 bits wide there. */
struct callbacks {
    int (*find_elf)(void);
    int (*find_debuginfo)(void);
    int (*section_address)(void);
    char **debuginfo_path;
};
#define DWFL_CALLS(X)                                                                                        \
    X(void *, begin, (const struct callbacks *))                                                             \
    X(void, end, (void *))                                                                                   \
    X(void, report_begin_add, (void *))                                                                      \
    X(void *, report_elf, (void *, const char *, const char *, int, uint64_t, bool))                         \
    X(int, report_end, (void *, void *, void *))                                                             \
    X(const char *, module_addrinfo,                                                                         \
      (void *, uint64_t, uint64_t *, Elf64_Sym *, Elf64_Word *, void **, uint64_t *))                        \
    X(void *, module_getsrc, (void *, uint64_t))                                                             \
    X(const char *, lineinfo, (void *, uint64_t *, int *, int *, uint64_t *, uint64_t *))

static struct {
    bool good;
#define X(type, name, parameters) type(*name) parameters;
    DWFL_CALLS(X)
#undef X
} dwfl;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return;
    dwfl.good = true;
#define X(type, name, parameters)                                                                            \
    *(void **)(void *)&dwfl.name = dlsym(library, "dwfl_" #name);                                            \
    dwfl.good &= dwfl.name != NULL;
    DWFL_CALLS(X)
#undef X
}

struct cw_code_places {
    const struct cw_trace *t;
    void *session; /* Dwfl *; NULL: not begun */
    struct {
        bool tried;
        void *dwfl; /* Dwfl_Module *; NULL: none */
    } * modules;    /* as those of the trace */
};

struct cw_code_places *cw_code_places_create(const struct cw_trace *t)
{
    struct cw_code_places *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->t = t;
    p->modules = calloc(t->modules.count + 1, sizeof *p->modules);
    if (p->modules)
        return p;
    free(p);
    return NULL;
}

void cw_code_places_destroy(struct cw_code_places *p)
{
    if (!p)
        return;
    if (p->session)
        dwfl.end(p->session);
    free(p->modules);
    free(p);
}

/* Separate files with debug information are not looked for. */
static int find_nothing(void)
{
    return -1;
}

/* What was added to the file's addresses where `m` mapped it. False: another file, or not a regular one. */
static bool find_bias(int fd, const struct cw_t_module *m, uint64_t *bias)
{
    struct stat st;
    Elf64_Ehdr head;
    Elf64_Phdr part;

    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || pread(fd, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof part)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        if (pread(fd, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part)) != sizeof part)
            return false;
        if (part.p_type == PT_LOAD && part.p_flags & PF_X && part.p_offset == m->file_offset &&
            part.p_memsz == m->end - m->start) {
            *bias = m->start - part.p_vaddr;
            return true;
        }
    }
    return false;
}

static void *open_module(struct cw_code_places *p, size_t i)
{
    static const struct callbacks callbacks = {find_nothing, find_nothing, find_nothing, NULL};
    const struct cw_t_module *m = &p->t->modules.v[i];
    uint64_t bias;
    int fd;

    if (p->modules[i].tried)
        return p->modules[i].dwfl;
    p->modules[i].tried = true;
    pthread_once(&once, load);
    if (!dwfl.good || (!p->session && !(p->session = dwfl.begin(&callbacks))))
        return NULL;
    fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && find_bias(fd, m, &bias)) {
        dwfl.report_begin_add(p->session);
        p->modules[i].dwfl = dwfl.report_elf(p->session, m->path, m->path, -1, bias, true);
        dwfl.report_end(p->session, NULL, NULL);
    }
    if (fd >= 0)
        close(fd);
    return p->modules[i].dwfl;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Writes what libdw knows of `address`; false: nothing. */
static bool name_by_dwfl(void *module, uint64_t address, char text[CW_CODE_PLACES_TEXT])
{
    void *line = dwfl.module_getsrc(module, address);
    int number = 0;
    const char *file = line ? dwfl.lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    const char *function;
    uint64_t offset = 0;
    Elf64_Sym symbol;

    if (file && number > 0) {
        snprintf(text, CW_CODE_PLACES_TEXT, "%.90s:%d", base_of(file), number);
        return true;
    }
    function = dwfl.module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (function)
        snprintf(text, CW_CODE_PLACES_TEXT, "%.90s+0x%" PRIx64, function, offset);
    return function;
}

const char *cw_code_places_name(struct cw_code_places *p, struct cw_slice callsite,
                                char text[CW_CODE_PLACES_TEXT])
{
    uint64_t address = p && callsite.count ? p->t->addresses.v[callsite.first] : 0;

    text[0] = '\0';
    if (!address)
        return text;
    address--; /* of a return: within the call before it */
    for (size_t i = 0; i < p->t->modules.count; i++) {
        const struct cw_t_module *m = &p->t->modules.v[i];
        if (address < m->start || address >= m->end || !m->path)
            continue;
        void *module = open_module(p, i);
        if (!module || !name_by_dwfl(module, address, text))
            snprintf(text, CW_CODE_PLACES_TEXT, "%.80s+0x%" PRIx64, base_of(m->path),
                     address + 1 - m->start + m->file_offset);
        break;
    }
    return text;
}
