#!/bin/bash
# networkx 2.8.8 with pydot 1.4.2 (Debian 12): a node called "node" is no node in the DOT file.
#
# Guess: write_dot() quotes names that mean something to graphviz, as it does with blanks and signs.
# Seen: the names node, edge and graph are written as they are. `node [cost=9]` is a default for all nodes that follow: the task is gone, and
# the tasks behind it that have no cost have the lost one's.
# In the product: clweave reads the file as graphviz does, so it cannot know either; names in files that it writes are its own (n0, n1, ...).
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=1.4.2-1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends graphviz python3-networkx=2.8.8-1 "python3-pydot=$version" > /dev/null 2>&1 ||
    { echo "no package python3-pydot=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cd "$T"
/usr/bin/python3 -W ignore - << 'PY'
import networkx
g = networkx.DiGraph()
g.add_node("node", cost=9)
g.add_node("a b")
networkx.nx_pydot.write_dot(g, "g.dot")
PY
seen=$(gvpr 'N { print($.name, ": ", $.cost) }' g.dot | tr '\n' ';')
echo "pydot $version: a node \"node\" of cost 9 and a node \"a b\" without a cost are for graphviz: $seen"
[ "$seen" = "a b: 9;" ]
