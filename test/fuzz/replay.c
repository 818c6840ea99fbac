/* replay.c - the main function of a harness that is built without libFuzzer.
 *
 *   fuzz_NAME FILE...     runs each file through the harness, in this process
 *
 * What breaks a promise, or what a sanitizer finds, ends the process; the name of the file stands in front of
 * it. */
#include "harness.h"

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    long end;

    if (f && fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        data = malloc(*size + (*size == 0)); /* just so large: a sanitizer sees reads behind the end */
        if (data && fread(data, 1, *size, f) != *size) {
            free(data);
            data = NULL;
        }
    }
    if (f)
        fclose(f);
    return data;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size = 0;
        char *data = read_file(argv[i], &size);
        if (!data) {
            fprintf(stderr, "cannot read %s\n", argv[i]);
            return 1;
        }
        printf("%s\n", argv[i]);
        fflush(stdout);
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
        free(data);
    }
    return 0;
}
