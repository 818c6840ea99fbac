#!/bin/bash
# graphs.sh - the samples' task graphs, from program to trace: which kernel binds which, written down by hand.
set -u
. test/shim/witness.bash

# expect NAME EDGES [ARGUMENTS...]: the traced sample's kernel-to-kernel edges are exactly these lines "from to", with
# "unproven" behind those that bind only because a declaration could be broken
expect() {
    local name=$1 want=$2 seen
    shift 2
    run_as preload "$T/$name" "$B/test/apps/$name" "$@"
    seen=$("$B/test/shim/kernel_edges" "$T/$name"/traces/*.json) || fail "$name: no trace: $(cat "$T/$name/stderr")"
    want=$(sort -n -k1,1 -k2,2 <<< "$want")
    [ "$seen" = "$want" ] && echo "$name: $(wc -l <<< "$seen") edges, as expected" && return
    fail "$name: its kernels' edges differ (< expected, > in the trace)"
    diff <(echo "$want") <(echo "$seen")
}

# two splits, eight products that need both, one merge that needs all: the paper's picture
expect blockmatmul "$(for m in 2 3 4 5 6 7 8 9; do printf '0 %d\n1 %d\n%d 10\n' $m $m $m; done)"

# kernel number depth * 8 + chain binds the next one of its chain and nothing else
expect chains8 "$(for ((k = 0; k < 24; k++)); do echo "$k $((k + 8))"; done)" 256 4

# two clusters, four steps: each step binds the next one of its cluster, and the one that overwrites its positions
expect nbody "$(for k in 0 1 2 3 4 5; do echo "$k $((k + 2))"; done; for k in 0 1 2 3; do echo "$k $((k + 4))"; done)" 2 32 4

# map c (0..3) binds reduce 4 + c, which binds the last one: partial results lie in sub-buffers of one buffer
expect mapreduce "$(for c in 0 1 2 3; do printf '%d %d\n%d 8\n' $c $((4 + c)) $((4 + c)); done)" 256 4

# four features bind the fusion; row maxima and normalisation both read it, normalisation overwrites it. The features
# hand the picture, a pointer to const, on to a function
expect featurefusion "$(printf '0 1 unproven\n0 4\n1 2 unproven\n1 4\n2 3 unproven\n2 4\n3 4\n4 5\n4 6\n5 6')" 16

# each step reads what the one before wrote (RAW) and overwrites what it read (WAR)
expect jacobi "$(for k in 0 1 2 3 4 5; do echo "$k $((k + 1))"; done; for k in 0 1 2 3 4; do echo "$k $((k + 2))"; done)" 16 7
# kernels that break what they declare: fill r (3 r) binds add r (3 r + 1), which binds turn r (3 r + 2) and, by the
# READ_ONLY buffer that it reads, fill r + 1; turn binds the next add by the const that it casts away
expect wrongflags "$(printf '%s\n' '0 1 unproven' '0 3 unproven' '1 2' '1 3 unproven' '2 4' '3 4 unproven' '3 6 unproven' \
    '4 5' '4 6 unproven' '5 7' '6 7 unproven' '7 8')" 64 3
[ $failures = 0 ]
