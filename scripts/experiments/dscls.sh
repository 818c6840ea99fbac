#!/bin/bash
# dscls.sh [FOLDER] - DSCLS against random, eager, ws, dm, dmda, cpu-only and dsp-only, as in Zhao, Li, Wang (2014): LU,
# Cholesky, GEMM and Monte-Carlo pi, unmodified programs on one in-order queue, by size and by number of blocks, each
# ROUNDS times, best and worst dropped; time, and throughput.
#
# PROGRAMS, SIZES (elements per side), TILES, POINTS (units of 1024), BLOCKS, POLICIES, ROUNDS say what; the paper has sizes
# 256 ... 4096, 4 ... 1024 blocks, 65536 ... 1048576 units of points and 12 rounds, the defaults take some minutes.
#
# The machine: the host's CPU with one thread and four emulated DSPs. All devices compute on the host's cores, so the DSPs must
# be slow enough that one core keeps up with all four: a kernel takes on a DSP about four times what it takes on a core
# (ns per multiply-add or point below, measured once; the run says when the host was too slow after all). Policies get what
# they plan: there is no profit test (CLWEAVE_MANAGE_ALL). "bare" runs without clweave, "run" with it as users have it.
# Rounds are interleaved, and every result is compared with bare, byte by byte.
. "$(dirname "$0")/common.sh"
programs=${PROGRAMS:-gemm lu cholesky pi}; sizes=${SIZES:-256 512}; tiles=${TILES:-16 64}
points=${POINTS:-16384 65536}; blocks=${BLOCKS:-16 64}; rounds=${ROUNDS:-12}
policies=${POLICIES:-dscls random eager ws dm dmda cpu-only dsp-only}
[ "$rounds" -ge 3 ] || { echo "dscls: ROUNDS must be 3 or more, as best and worst are dropped" >&2; exit 1; }
[ -e "$B/test/libspancl.so" ] || { echo "dscls: $B/test/libspancl.so is missing; run make benches first" >&2; exit 1; }
export POCL_MAX_PTHREAD_COUNT=1 POCL_CACHE_DIR=$scratch/pocl XDG_CACHE_HOME=$scratch/cache
mkdir -p "$POCL_CACHE_DIR" "$XDG_CACHE_HOME"

# platform PROGRAM B - four DSPs, b elements per side of a tile (pi: 1024 points per item)
platform() {
    awk -v program="$1" -v b="$2" 'BEGIN {
        ns = program == "gemm" ? 6 : program == "lu" ? 3 : 4 # a multiply-add, a point
        group = b < 64 ? b : 64
        kernel["multiply"] = kernel["update"] = ns * b
        kernel["solve*"] = ns * b * b / 2
        kernel["factor"] = ns * b * b * b / (program == "lu" ? 3 : 6) / group
        kernel["throw_points"] = ns * 1024
        kernel["sum"] = ns * 1024 # of one item: the counts of a block
        printf "{\"format\": \"clweave-platform\", \"version\": 1, \"devices\": [{\"class\": \"dsp\", \"count\": 4, "
        printf "\"launch_ns\": 20000, \"transfers\": {\"bytes_per_ns\": 4}, \"kernels\": ["
        for (name in kernel) printf "%s{\"name\": \"%s\", \"ns_per_item\": %.6g}", some++ ? ", " : "", name, kernel[name]
        print "]}]}"
    }'
}

# once PROGRAM SIZE COUNT POLICY - prints ms of one run; leaves the program's line in $scratch/line
once() {
    local app=$B/test/apps/$1 line
    case $4 in
    bare) env LD_PRELOAD="$B/test/libspancl.so" "$app" "$2" "$3" ;;
    run) env CLWEAVE_MODE=run LD_PRELOAD="$B/test/libspancl.so:$B/libclweave.so" CLWEAVE_DSP=4 CLWEAVE_DEVICES=dsp CLWEAVE_SUMMARY=1 \
        CLWEAVE_DSP_PLATFORM="$scratch/platform.json" "$app" "$2" "$3" ;;
    *) env CLWEAVE_MODE=run LD_PRELOAD="$B/test/libspancl.so:$B/libclweave.so" CLWEAVE_DSP=4 CLWEAVE_DEVICES=dsp CLWEAVE_SUMMARY=1 \
        CLWEAVE_DSP_PLATFORM="$scratch/platform.json" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY="$4" CLWEAVE_SEED="$RANDOM" "$app" "$2" "$3" ;;
    esac > "$scratch/line" 2> "$scratch/said" || { cat "$scratch/said" >&2; echo "dscls: $1 $2 $3 failed under $4" >&2; exit 1; }
    line=$(sed -n 's/.*commands modelled, \([0-9]*\) overran (worst \([0-9.]*\) x.*/\1,\2/p' "$scratch/said")
    moved=$(sed -n 's/.* \([0-9]*\) moved.*/\1/p' "$scratch/said" | head -n 1)
    echo "$(sed -n 's/^span_ns //p' "$scratch/said" | awk '{ print $1 / 1e6 }'),${moved:-0},${line:-0,0}"
}

echo "HSCGS programs: $policies; $rounds rounds, best and worst dropped; 1 CPU thread + 4 DSPs"
echo "program,size,blocks,policy,round,ms,moved,overruns,worst" > "$out/results.csv"
for program in $programs; do
    if [ "$program" = pi ]; then s=$points c=$blocks; else s=$sizes c=$tiles; fi
    for size in $s; do for count in $c; do
        platform "$program" "$(awk -v n="$size" -v t="$count" 'BEGIN { print int(n / int(sqrt(t) + .5)) }')" > "$scratch/platform.json"
        rm -rf "$XDG_CACHE_HOME" && mkdir -p "$XDG_CACHE_HOME"
        once "$program" "$size" "$count" bare > /dev/null # compiles
        want=$(cat "$scratch/line")
        for policy in $policies run; do once "$program" "$size" "$count" "$policy" > /dev/null; done # learns
        for ((round = 0; round < rounds; round++)); do
            for policy in bare $policies run; do
                ms=$(once "$program" "$size" "$count" "$policy")
                [ "$(cat "$scratch/line")" = "$want" ] ||
                    { echo "dscls: $program $size $count under $policy: $(cat "$scratch/line") instead of $want" >&2; exit 1; }
                echo "$program,$size,$count,$policy,$round,$ms" >> "$out/results.csv"
            done
        done
    done; done
done

sort -t, -k1,1 -k2,2n -k3,3n -k4,4 -k6,6g "$out/results.csv" | awk -F, -v policies="bare $policies run" -v rounds="$rounds" -v dat="$out/figures.dat" '
$1 == "program" { next }
{
    key = $1 " " $2 " " $3
    if (!(key in seen)) { seen[key] = 1; row[++rows] = key }
    if (++k[key, $4] > 1 && k[key, $4] < rounds) { sum[key, $4] += $6; moved[key, $4] += $7 }
    overran += $8; if ($9 > worst) worst = $9
}
function work(program, n) { # multiply-adds, or points
    return program == "gemm" ? n ^ 3 : program == "lu" ? n ^ 3 / 3 : program == "cholesky" ? n ^ 3 / 6 : n * 1024
}
END {
    n = split(policies, policy, " ")
    printf "\nmilliseconds (mean of %d)\n%-20s", rounds - 2, "program size blocks"
    for (p = 1; p <= n; p++) printf " %9s", policy[p]
    print ""
    printf "# program size blocks" > dat
    for (p = 1; p <= n; p++) printf " %s", policy[p] > dat
    print "" > dat
    for (r = 1; r <= rows; r++) {
        printf "%-20s", row[r]
        printf "%s", row[r] > dat
        for (p = 1; p <= n; p++) {
            mean[r, p] = sum[row[r], policy[p]] / (rounds - 2)
            printf " %9.2f", mean[r, p]
            printf " %.4f", mean[r, p] > dat
        }
        print ""
        print "" > dat
    }
    print "\nthroughput, 10^6 multiply-adds or points per second; launches moved to DSPs in brackets"
    for (r = 1; r <= rows; r++) {
        split(row[r], at, " ")
        printf "%-20s", row[r]
        for (p = 1; p <= n; p++)
            printf " %9s", sprintf("%.0f [%.0f]", work(at[1], at[2]) / mean[r, p] / 1000, moved[row[r], policy[p]] / (rounds - 2))
        print ""
    }
    printf "\nDSCLS takes, of what the others take (geometric mean over the rows):"
    for (p = 1; p <= n; p++) {
        if (policy[p] == "dscls") continue
        logs = 0
        for (r = 1; r <= rows; r++) for (q = 1; q <= n; q++) if (policy[q] == "dscls") logs += log(mean[r, q] / mean[r, p])
        printf " %s %.2f", policy[p], exp(logs / rows)
    }
    printf "\noverruns: %d commands took longer than modelled, the worst %.1f times\n", overran, worst
    print "results: all equal to bare"
}'

n=$(wc -w <<< "bare $policies run")
figure <<EOF2
set ylabel 'milliseconds'
set logscale y
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.8 border -1
set key outside right noenhanced
set xtics rotate by -40 noenhanced
set title 'LU, Cholesky, GEMM, Monte-Carlo pi: 1 CPU thread + 4 emulated DSPs, mean of $((rounds - 2)) runs' noenhanced
policies = "bare $policies run"
plot for [k=1:$n] 'figures.dat' using (column(k + 3)):xticlabels(sprintf("%s %d/%d", stringcolumn(1), column(2), column(3))) title word(policies, k)
EOF2
