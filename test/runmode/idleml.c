/* idleml.c - stands for libnvidia-ml.so.1, NVIDIA's management library, on a machine with GPUs at
 * 0000:01:00 to 0000:04:00, of 100 MiB each. IDLEML says what it answers of all of them:
 *
 *   idle, computing, drawing (one process), filled (2 MiB), deaf (no memory is told), stopped (it does not
 *   start), elsewhere (they lie on buses 0x41 to 0x44)
 *
 * With IDLEML_LOG=FILE each question appends a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { GPUS = 4, ERROR = 999, TOO_SMALL = 7 };

struct pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem;
    char name[32];
};

struct memory {
    unsigned long long total, free, used;
};

static int is(const char *state)
{
    const char *wanted = getenv("IDLEML");

    return wanted && !strcmp(wanted, state);
}

static void note(const char *line)
{
    const char *path = getenv("IDLEML_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;

    if (f) {
        fprintf(f, "%s\n", line);
        fclose(f);
    }
}

EXPORT int nvmlInit_v2(void)
{
    note("init");
    return is("stopped") ? ERROR : 0;
}

EXPORT int nvmlShutdown(void)
{
    note("shutdown");
    return 0;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = GPUS;
    return 0;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu)
{
    *gpu = (char *)NULL + 1 + index;
    return index < GPUS ? 0 : ERROR;
}

EXPORT int nvmlDeviceGetPciInfo_v3(void *gpu, struct pci *pci)
{
    *pci = (struct pci){.bus = (unsigned)((char *)gpu - (char *)NULL) + (is("elsewhere") ? 0x40u : 0u)};
    return 0;
}

EXPORT int nvmlDeviceGetMemoryInfo(void *gpu, struct memory *memory)
{
    (void)gpu;
    *memory = (struct memory){.total = 100 << 20, .used = is("filled") ? 2 << 20 : 1 << 20};
    return is("deaf") ? ERROR : 0;
}

static int processes(unsigned *count, int there)
{
    unsigned room = *count;

    *count = there ? 1 : 0;
    return there && !room ? TOO_SMALL : 0;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *gpu, unsigned *count, void *infos)
{
    (void)gpu, (void)infos;
    return processes(count, is("computing"));
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(void *gpu, unsigned *count, void *infos)
{
    (void)gpu, (void)infos;
    return processes(count, is("drawing"));
}
