#!/bin/bash
# libunwind 1.6.2 (Debian 12): unw_backtrace() writes into files that a program has opened.
#
# Guess: a walk of the own stack changes nothing in the process but memory.
# Seen: for frames without unwind tables (code made at run time, assembly) the library asks the kernel whether an address can be read: it
# writes a byte from there into a pipe of its own. A program that closes all descriptors from 3 on, as daemons do, and then opens files,
# gets the pipe's numbers for them. The next such walk writes its bytes into the program's second file; where the first one cannot be
# read from, it closes both numbers. glibc's backtrace() leaves them alone.
# In the product: shim/door/unwind.c reads in its place, shim/door/dynamic_loader.c walks by backtrace(); test/runmode/closes.sh saw it.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=1.6.2-3
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev "libunwind-dev=$version" > /dev/null 2>&1 || { echo "no package libunwind-dev=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/walk.c" <<'C'
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <libunwind.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two functions: the library remembers how frames lie that it has met. */
__attribute__((noinline)) static void first_walk(void)
{
    void *frames[64];

    WALK(frames, 64);
}

__attribute__((noinline)) static void second_walk(void)
{
    volatile char pages[1 << 20]; /* and addresses that it has asked for */
    void *frames[64];

    pages[0] = 0;
    WALK(frames, 64);
    pages[1] = 0;
}

int main(int argc, char **argv)
{
    int fd[2];
    struct stat st;

    first_walk();
    closefrom(3);
    fd[0] = open(argv[1], O_RDWR | O_CREAT, 0600);
    fd[1] = open(argv[2], O_RDWR | O_CREAT, 0600);
    second_walk();
    fstat(fd[1], &st);
    printf("%d bytes in a file that the program has not written to\n", (int)st.st_size);
}
C
build="gcc -O0 -w -fno-asynchronous-unwind-tables -fno-omit-frame-pointer $T/walk.c"
$build -DWALK=unw_backtrace -o "$T/libunwind_walk" -lunwind
$build -DWALK=backtrace -o "$T/glibc_walk" # with -lunwind, backtrace() would be that library's, too
echo "libunwind $(dpkg-query -W -f '${Version}' libunwind8)"
echo "unw_backtrace: $("$T/libunwind_walk" "$T/a" "$T/b")" | tee "$T/libunwind"
echo "backtrace: $("$T/glibc_walk" "$T/c" "$T/d")" | tee "$T/glibc"
grep -q ': [1-9][0-9]* bytes' "$T/libunwind" && grep -q ': 0 bytes' "$T/glibc"
