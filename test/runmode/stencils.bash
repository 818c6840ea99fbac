# Sourced by stencils*.sh: the programs of test/apps/stencil, sizes to taste.
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
programs=("flat five" "flat nine" "flat box" "flat star" "flat inner" "flat torus" "solid seven" "solid cube" "solid all" planes wave paced redblack fields sweep)
cut=0 tiles=0 runs=0

# stencil PROGRAM WIDTH HEIGHT STEPS SYNC : runs it bare; the programs in three dimensions are 9 cells wide and high less
stencil() {
    local depth=
    case $1 in solid* | planes) depth=$3; set -- "$1" 9 11 "$4" "$5" ;; esac
    printf '#!/bin/sh\nexec "%s"/test/apps/stencil/%s %s %s %s %s %s\n' "$B" "$1" "$2" "$3" "$depth" "$4" "$5" > "$T/program"
    chmod +x "$T/program"
    bare "$T/program"
}

# one VARIABLE=VALUE... : the same program in run mode
one() {
    in_run "$T/program" "$@"
    runs=$((runs + 1)) cut=$((cut + $(count cut)))
    tiles=$((tiles + $(grep -oE '\([0-9]+ tiles' "$T/summary" | tr -dc '0-9\n' | head -n 1)))
}

# chaos SEED VARIABLE=VALUE... : in a random order
chaos() {
    local seed=$1; shift
    one CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=$seed "$@"
}

# enough LAUNCHES TILES : at least so many were cut
enough() {
    echo "$runs runs, $cut launches cut into $tiles tiles"
    [ $cut -ge "$1" ] && [ $tiles -ge "$2" ] || fail "runs that cut nothing prove nothing"
}
