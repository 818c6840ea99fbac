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

/* elfutils/libdwfl.h and libdw.h, the parts that are used; addresses are 64 bits wide there. */
struct callbacks {
    int (*find_elf)(void);
    int (*find_debuginfo)(void);
    int (*section_address)(void);
    char **debuginfo_path;
};
#define LIBDW_CALLS(X)                                                                                       \
    X(void *, dwfl_begin, (const struct callbacks *))                                                        \
    X(void, dwfl_end, (void *))                                                                              \
    X(void, dwfl_report_begin_add, (void *))                                                                 \
    X(void *, dwfl_report_elf, (void *, const char *, const char *, int, uint64_t, bool))                    \
    X(int, dwfl_report_end, (void *, void *, void *))                                                        \
    X(const char *, dwfl_module_addrinfo,                                                                    \
      (void *, uint64_t, uint64_t *, Elf64_Sym *, Elf64_Word *, void **, uint64_t *))                        \
    X(void *, dwfl_module_getsrc, (void *, uint64_t))                                                        \
    X(const char *, dwfl_lineinfo, (void *, uint64_t *, int *, int *, uint64_t *, uint64_t *))               \
    X(void *, dwfl_module_nextcu, (void *, void *, uint64_t *))                                              \
    X(int, dwarf_haspc, (void *, uint64_t))                                                                  \
    X(void *, dwarf_getsrc_die, (void *, uint64_t))                                                          \
    X(int, dwarf_lineno, (void *, int *))                                                                    \
    X(const char *, dwarf_linesrc, (void *, uint64_t *, uint64_t *))

static struct {
    bool good;
#define X(type, name, parameters) type(*name) parameters;
    LIBDW_CALLS(X)
#undef X
} dw;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return;
    dw.good = true;
#define X(type, name, parameters)                                                                            \
    *(void **)(void *)&dw.name = dlsym(library, #name);                                                      \
    dw.good &= dw.name != NULL;
    LIBDW_CALLS(X)
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
        dw.dwfl_end(p->session);
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
    if (!dw.good || (!p->session && !(p->session = dw.dwfl_begin(&callbacks))))
        return NULL;
    fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && find_bias(fd, m, &bias)) {
        dw.dwfl_report_begin_add(p->session);
        p->modules[i].dwfl = dw.dwfl_report_elf(p->session, m->path, m->path, -1, bias, true);
        dw.dwfl_report_end(p->session, NULL, NULL);
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

/* The file and line of `address`; NULL: not known. libdw finds the unit by .debug_aranges, which clang leaves
 * out: then each unit is asked. */
static const char *find_line(void *module, uint64_t address, int *number)
{
    void *line = dw.dwfl_module_getsrc(module, address), *unit = NULL;
    uint64_t bias = 0;

    if (line)
        return dw.dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL);
    while ((unit = dw.dwfl_module_nextcu(module, unit, &bias)) && dw.dwarf_haspc(unit, address - bias) != 1)
        ;
    line = unit ? dw.dwarf_getsrc_die(unit, address - bias) : NULL;
    return line && !dw.dwarf_lineno(line, number) ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;
}

/* Writes what libdw knows of `address`; false: nothing. */
static bool name_by_libdw(void *module, uint64_t address, char text[CW_CODE_PLACES_TEXT])
{
    int number = 0;
    const char *file = find_line(module, address, &number);
    const char *function;
    uint64_t offset = 0;
    Elf64_Sym symbol;

    if (file && number > 0) {
        snprintf(text, CW_CODE_PLACES_TEXT, "%.90s:%d", base_of(file), number);
        return true;
    }
    function = dw.dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
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
        if (!module || !name_by_libdw(module, address, text))
            snprintf(text, CW_CODE_PLACES_TEXT, "%.80s+0x%" PRIx64, base_of(m->path),
                     address + 1 - m->start + m->file_offset);
        break;
    }
    return text;
}
