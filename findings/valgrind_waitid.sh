#!/bin/bash
# valgrind 3.19 (Debian 12): waitid() without a place for its answer is an error to memcheck.
#
# Guess: waitid(P_PID, child, NULL, WEXITED | WNOWAIT), which Linux allows where only the end counts, is no finding of memcheck.
# Seen: "Syscall param waitid(infop) points to unaddressable byte(s)", address 0: one error of each program that waits so.
# In the product: the tool waits so for its child (analyzer/cli/launch.c), and memcheck says so of it once; nothing is wrong there.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=1:3.19.0-1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev libc6-dbg "valgrind=$version" > /dev/null 2>&1 ||
    { echo "no package valgrind=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/waits.c" << 'C'
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    pid_t child = fork();

    if (!child)
        _exit(0);
    return waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT) != 0;
}
C
gcc -g "$T/waits.c" -o "$T/waits"
"$T/waits" || { echo "waitid() fails"; exit 1; }
valgrind -q --error-exitcode=9 "$T/waits" > /dev/null 2> "$T/err" && status=0 || status=$?
echo "valgrind $version: exit status $status; $(grep -o 'Syscall .*' "$T/err" | head -1)"
[ $status = 9 ] && grep -q 'waitid(infop) points to unaddressable' "$T/err"
