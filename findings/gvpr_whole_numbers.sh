#!/bin/bash
# graphviz 2.42.2 (Debian 12): gvpr takes cost=2.5 for 1 beside a whole number.
#
# Guess: an attribute that reads like a number is that number in a sum: with 1 a cost of 2.5 gives 3.5, and half of it is 1.25.
# Seen: an attribute is a string, and takes the type of what stands beside it. Beside a whole number a string that is not one counts as
# true, that is 1: 2.5 + 1 is 2, 2.5 / 2 is 0, as for each other fraction. 7 + 1 is 8, and 2.5 + 1.0 is 3.5. A script that scales costs
# works until the first fraction comes.
# In the product: nothing computes by gvpr; test/cli/dot_random.py has it print attributes alone.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=2.42.2-7+deb12u1
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends "graphviz=$version" > /dev/null 2>&1 || { echo "no package graphviz=$version"; exit 77; }
seen=$(echo 'digraph { a [cost="2.5"]; b [cost="7"] }' | gvpr 'N { print($.name, " ", $.cost + 1, " ", $.cost / 2, " ", $.cost + 1.0) }' | tr '\n' ';')
echo "graphviz $version: name, cost + 1, cost / 2, cost + 1.0: $seen"
[ "$seen" = "a 2 0 3.5;b 8 3 8;" ]
