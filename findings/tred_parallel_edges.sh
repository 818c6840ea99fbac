#!/bin/bash
# graphviz 2.42.2 (Debian 12): tred, the transitive reduction, also takes parallel edges away.
#
# Guess: tred removes edges that a longer path implies, and nothing else; two edges from a to b, each with its own data, stay.
# Seen: of edges between the same two nodes the first one stays, with its attributes; the other ones are gone, without a word, as are their
# bytes. A task graph with one edge for each file has less to transfer behind tred.
# In the product: clweave adds the data of parallel edges up (analyzer/FORMAT.md), so it reads 3 units here, and 1 behind tred.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=2.42.2-7+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends "graphviz=$version" > /dev/null 2>&1 || { echo "no package graphviz=$version"; exit 77; }
seen=$(echo 'digraph { a -> b [data=1]; a -> b [data=2]; b -> c [data=4] }' | tred | grep -e '->' | tr -d ' \t' | tr '\n' ' ')
echo "graphviz $version: tred leaves $seen"
[ "$seen" = "a->b[data=1]; b->c[data=4]; " ]
