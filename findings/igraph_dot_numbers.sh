#!/bin/bash
# igraph 0.10.2 (Debian 12): write_dot() writes numbers that graphviz refuses, and six digits of them.
#
# Guess: a graph with numbers at its nodes and edges comes out as a DOT file that graphviz reads, with these numbers, and an edge that has
# none comes out without one.
# Seen: numbers are written as %g and without quotes: 123456789 becomes cost=1.23457e+08. A number of DOT has no exponent, so graphviz ends
# with a syntax error, and three digits of the value are gone. An edge without a number has data=NaN.
# In the product: clweave refuses such a file with its line and column, and asks for quotes; a time or size of "NaN" is refused, too.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=0.10.2-1+b1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends graphviz "python3-igraph=$version" > /dev/null 2>&1 ||
    { echo "no package python3-igraph=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cd "$T"
/usr/bin/python3 - << 'PY'
import igraph
g = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], directed=True)
g.vs["cost"] = [123456789.0, 2.0, 3.0]
g.es["data"] = [5.5, float("nan")]
g.write_dot("g.dot")
PY
echo "igraph $version: $(grep -E 'cost|data' g.dot | tr -d ' ' | tr '\n' ' ')"
! dot -Tcanon g.dot > read 2> err || { echo "graphviz reads it"; exit 1; }
echo "graphviz: $(head -1 err)"
grep -qx ' *cost=1.23457e+08' g.dot && grep -qx ' *data=NaN' g.dot && grep -q 'syntax' err
