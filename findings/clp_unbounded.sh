#!/bin/bash
# Clp 1.17.6 (Debian 12): a variable with the finite bound 1e20 makes a program unbounded, by one of the two methods.
#
# Guess: max x, 0 <= x <= 1e20, has the optimum 1e20; infinite is COIN_DBL_MAX, 1.8e308.
# Seen: Clp_primal() says status 2, unbounded, with x = 0, from 1e20 on; at 1e19 it finds the optimum. Clp_initialDualSolve() finds that of
# 1e20 to 1e26, too.
# In the product: analyzer/plan/lp_bound.c makes its bound of any numbers that the solver gives (weak duality over the box), and calls the dual
# method; plans of tasks that take 1e25 have a right bound.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=1.17.6-3
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev "coinor-libclp-dev=$version" > /dev/null 2>&1 ||
    { echo "no package coinor-libclp-dev=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/box.c" << 'C'
#include <coin/Clp_C_Interface.h>
#include <stdio.h>

static void solve(double bound, int dual)
{
    const int start[] = {0, 1}, row[] = {0};
    const double one[] = {1}, lower[] = {0}, upper[] = {bound}, cost[] = {-1}, low[] = {-1e300}, high[] = {1e300};
    Clp_Simplex *m = Clp_newModel();

    Clp_setLogLevel(m, 0);
    Clp_loadProblem(m, 1, 1, start, row, one, lower, upper, cost, low, high);
    if (dual)
        Clp_initialDualSolve(m);
    else
        Clp_primal(m, 0);
    printf("%s %g: status %d, x %g\n", dual ? "dual" : "primal", bound, Clp_status(m), Clp_primalColumnSolution(m)[0]);
    Clp_deleteModel(m);
}

int main(void)
{
    solve(1e19, 0);
    solve(1e20, 0);
    solve(1e20, 1);
    return 0;
}
C
gcc -w "$T/box.c" -o "$T/box" -lClp -lCoinUtils
echo "Clp $version"
"$T/box" | tee "$T/seen"
diff - "$T/seen" << 'END'
primal 1e+19: status 0, x 1e+19
primal 1e+20: status 2, x 0
dual 1e+20: status 0, x 1e+20
END
