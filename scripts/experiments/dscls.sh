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
#
# CLOCK=virtual runs on the emulator's virtual clock, on which the CPU is modelled too: nothing can overrun. Lanes still take what
# is ready first on the host, which is not always what the policy wanted next.
#
# CLOCK=model does not run on devices, which a host with few cores, or a busy one, cannot keep up with: each program is traced
# once for every number of blocks (with small tiles: the graph is the same), kernels get the costs above for the size in
# question, the CPU a quarter of a DSP's, and policies decide while that is simulated, costs varying by NOISE (0.1) and a new
# seed each round. That reaches the paper's sizes in minutes:
#   CLOCK=model SIZES="256 512 1024 2048 4096" TILES="4 16 64 256 1024" POINTS="65536 131072 262144 524288 1048576" \
#   BLOCKS="4 16 64 256 1024"
#
# LOAD="results.csv ..." runs nothing: table and plots of what runs of parts of it, of as many rounds, have left.
. "$(dirname "$0")/common.sh"
programs=${PROGRAMS:-gemm lu cholesky pi}; sizes=${SIZES:-256 512}; tiles=${TILES:-16 64}
points=${POINTS:-16384 65536}; blocks=${BLOCKS:-16 64}; rounds=${ROUNDS:-12}
policies=${POLICIES:-dscls random eager ws dm dmda cpu-only dsp-only}
[ "$rounds" -ge 3 ] || { echo "dscls: ROUNDS must be 3 or more, as best and worst are dropped" >&2; exit 1; }
clock=${CLOCK:-real} noise=${NOISE:-0.1}
case $clock in
real) columns="bare $policies run" ;;
model | virtual) columns=$policies ;;
*) echo "dscls: CLOCK is real, virtual or model" >&2; exit 1 ;;
esac
[ -e "$B/test/libspancl.so" ] || { echo "dscls: $B/test/libspancl.so is missing; run make tests first" >&2; exit 1; }
export POCL_MAX_PTHREAD_COUNT=1 POCL_CACHE_DIR=$scratch/pocl XDG_CACHE_HOME=$scratch/cache
mkdir -p "$POCL_CACHE_DIR" "$XDG_CACHE_HOME"

# platform PROGRAM B [TRACED] - four DSPs, b elements per side of a tile (pi: 1024 points per item). TRACED: the tile's side
# (pi: a block's items) in the trace that stands for it, where B is a block's items for pi too; then with the CPU
platform() {
    awk -v program="$1" -v b="$2" -v traced="${3:-0}" 'BEGIN {
        ns = program == "gemm" ? 6 : program == "lu" ? 3 : 4 # a multiply-add, a point
        group = b < 64 ? b : 64
        kernel["multiply"] = kernel["update"] = ns * b
        kernel["solve*"] = ns * b * b / 2
        kernel["factor"] = ns * b * b * b / (program == "lu" ? 3 : 6) / group
        kernel["throw_points"] = ns * 1024
        kernel["sum"] = ns * 1024 # of one item: the counts of a block
        if (traced) { # as many items as the trace has take what those of the real size would
            kernel["multiply"] = kernel["update"] *= (b / traced) ^ 2
            kernel["solve*"] *= b / traced
            kernel["factor"] *= group / (traced < 64 ? traced : 64)
            kernel["throw_points"] *= b / traced
        }
        printf "{\"format\": \"clweave-platform\", \"version\": 1, \"devices\": ["
        if (traced) device("\"class\": \"cpu\", \"launch_ns\": 5000", 4)
        if (traced) printf ", "
        device("\"class\": \"dsp\", \"count\": 4, \"launch_ns\": 20000", 1)
        print "]}"
    }
    function device(what, speed,    name, some) {
        printf "{%s, \"memory\": \"ddr\", \"transfers\": {\"bytes_per_ns\": 4}, \"kernels\": [", what
        for (name in kernel) printf "%s{\"name\": \"%s\", \"ns_per_item\": %.6g}", some++ ? ", " : "", name, kernel[name] / speed
        printf "]}"
    }'
}

# once PROGRAM SIZE COUNT POLICY - prints ms of one run; leaves the program's line in $scratch/line
once() {
    local app=$B/test/apps/$1 line
    case $4 in
    bare) env LD_PRELOAD="$B/test/libspancl.so" "$app" "$2" "$3" ;;
    run) env CLWEAVE_MODE=run LD_PRELOAD="$B/test/libspancl.so:$B/libclweave.so" CLWEAVE_DSP=4 CLWEAVE_DEVICES=dsp \
        CLWEAVE_SUMMARY=1 CLWEAVE_DSP_PLATFORM="$scratch/platform.json" "$app" "$2" "$3" ;;
    *) env CLWEAVE_MODE=run LD_PRELOAD="$B/test/libspancl.so:$B/libclweave.so" CLWEAVE_DSP=4 CLWEAVE_DEVICES=dsp \
        CLWEAVE_SUMMARY=1 CLWEAVE_DSP_PLATFORM="$scratch/platform.json" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DSP_CLOCK="$clock" \
        CLWEAVE_POLICY="$4" CLWEAVE_SEED="$RANDOM" "$app" "$2" "$3" ;;
    esac > "$scratch/line" 2> "$scratch/said" || { cat "$scratch/said" >&2; echo "dscls: $1 $2 $3 failed under $4" >&2; exit 1; }
    line=$(sed -n 's/.*commands modelled, \([0-9]*\) overran (worst \([0-9.]*\) x.*/\1,\2/p' "$scratch/said")
    if [ "$clock" = virtual ] && [ "$4" != bare ]; then
        echo "span_ns $(sed -n 's/.*the program waited \([0-9]*\) us.*/\1000/p' "$scratch/said")" > "$scratch/span"
    else
        grep '^span_ns ' "$scratch/said" > "$scratch/span"
    fi
    moved=$(sed -n 's/.* \([0-9]*\) moved.*/\1/p' "$scratch/said" | head -n 1)
    echo "$(sed -n 's/^span_ns //p' "$scratch/span" | awk '{ print $1 / 1e6 }'),${moved:-0},${line:-0,0}"
}

# model PROGRAM COUNT SIZE... - all sizes of one trace: a line per policy with the mean without best and worst
model() {
    local program=$1 count=$2 size small traced side
    shift 2
    side=$(awk -v t="$count" 'BEGIN { print int(sqrt(t) + .5) }')
    traced=4 small=$((4 * side)) # elements of a tile's side; pi: items of a block
    [ "$program" = pi ] && small=$((4 * count))
    clweave trace -o "$scratch/$program.json" -- "$B/test/apps/$program" "$small" "$count" > "$scratch/said" 2>&1 ||
        { cat "$scratch/said" >&2; echo "dscls: $program is not traced" >&2; exit 1; }
    for size; do
        [ "$program" = pi ] && b=$((size / count)) || b=$((size / side))
        platform "$program" "$b" "$traced" > "$scratch/platform.json"
        clweave simulate --platform "$scratch/platform.json" $(printf -- '-p %s ' $policies) --noise "$noise" --runs "$rounds" \
            --json "$scratch/$program.json" > "$scratch/model.json"
        python3 - "$scratch/model.json" "$program,$size,$count" <<'PY' >> "$out/results.csv"
import json, sys

with open(sys.argv[1]) as f:
    x = json.load(f)
for p in x['policies']:
    n = x['runs']
    print(f"{sys.argv[2]},{p['policy']},{n},{(n * p['mean'] - p['least'] - p['worst']) / (n - 2) / 1e6:.6f},0,0,0")
PY
    done
}

echo "HSCGS programs: $policies; $rounds rounds, best and worst dropped; 1 CPU thread + 4 DSPs"
[ "$clock" = virtual ] && echo "on the emulator's virtual clock, the CPU modelled too"
[ "$clock" != model ] || echo "modelled, not run: graphs of the programs, costs of every task off by up to $noise of it"
if [ -n "${LOAD:-}" ]; then
    sort -u $LOAD | grep -v '^program,' > "$scratch/loaded"
    { echo "program,size,blocks,policy,round,ms,moved,overruns,worst"; cat "$scratch/loaded"; } > "$out/results.csv"
    clock_of_runs=
else
    echo "program,size,blocks,policy,round,ms,moved,overruns,worst" > "$out/results.csv"
    clock_of_runs=$clock
fi
[ "$clock_of_runs" != model ] || for program in $programs; do
    if [ "$program" = pi ]; then s=$points c=$blocks; else s=$sizes c=$tiles; fi
    for count in $c; do model "$program" "$count" $s; done
done
[ -z "$clock_of_runs" ] || [ "$clock" = model ] || for program in $programs; do
    if [ "$program" = pi ]; then s=$points c=$blocks; else s=$sizes c=$tiles; fi
    for size in $s; do for count in $c; do
        b=$(awk -v n="$size" -v t="$count" 'BEGIN { print int(n / int(sqrt(t) + .5)) }')
        if [ "$clock" = virtual ]; then platform "$program" "$b" "$b"; else platform "$program" "$b"; fi > "$scratch/platform.json"
        rm -rf "$XDG_CACHE_HOME" && mkdir -p "$XDG_CACHE_HOME"
        once "$program" "$size" "$count" bare > /dev/null # compiles
        want=$(cat "$scratch/line")
        for policy in $columns; do once "$program" "$size" "$count" "$policy" > /dev/null; done # learns
        for ((round = 0; round < rounds; round++)); do
            for policy in $columns; do
                ms=$(once "$program" "$size" "$count" "$policy")
                [ "$(cat "$scratch/line")" = "$want" ] ||
                    { echo "dscls: $program $size $count under $policy: $(cat "$scratch/line") instead of $want" >&2; exit 1; }
                echo "$program,$size,$count,$policy,$round,$ms" >> "$out/results.csv"
            done
        done
    done; done
done

sort -t, -k1,1 -k2,2n -k3,3n -k4,4 -k6,6g "$out/results.csv" | awk -F, -v policies="$columns" -v rounds="$rounds" -v clock="$clock" -v dat="$out/figures.dat" '
$1 == "program" { next }
{
    key = $1 " " $2 " " $3
    if (!(key in seen)) { seen[key] = 1; row[++rows] = key }
    if (clock == "model") sum[key, $4] = $6 * (rounds - 2)
    else if (++k[key, $4] > 1 && k[key, $4] < rounds) { sum[key, $4] += $6; moved[key, $4] += $7 }
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
    print "\nthroughput, 10^6 multiply-adds or points per second" (clock == "model" ? "" : "; launches moved to DSPs in brackets")
    for (r = 1; r <= rows; r++) {
        split(row[r], at, " ")
        printf "%-20s", row[r]
        for (p = 1; p <= n; p++)
            printf " %9s", sprintf(clock == "model" ? "%.0f" : "%.0f [%.0f]", work(at[1], at[2]) / mean[r, p] / 1000, moved[row[r], policy[p]] / (rounds - 2))
        print ""
    }
    printf "\nDSCLS takes, of what the others take (geometric mean over the rows):"
    for (p = 1; p <= n; p++) {
        if (policy[p] == "dscls") continue
        logs = 0
        for (r = 1; r <= rows; r++) for (q = 1; q <= n; q++) if (policy[q] == "dscls") logs += log(mean[r, q] / mean[r, p])
        printf " %s %.2f", policy[p], exp(logs / rows)
    }
    if (clock == "model") { print ""; exit }
    printf "\noverruns: %d commands took longer than modelled, the worst %.1f times\n", overran, worst
    print "results: all equal to bare"
}'

n=$(wc -w <<< "$columns")
for program in $programs; do grep "^$program " "$out/figures.dat" > "$out/figures-$program.dat"; done
figure <<EOF2
set terminal svg size 1100,800 font 'sans-serif,11' background 'white'
set output 'figure.svg'
columns = "$columns"
dscls = $(tr ' ' '\n' <<< "$columns" | grep -nx dscls | cut -d: -f1)
set multiplot layout 2,2 title '1 CPU thread + 4 DSPs, $([ $clock = model ] && echo modelled || echo "emulated, $clock clock"): time over that of DSCLS, mean of $((rounds - 2)) runs'
set logscale y
set yrange [0.5:10]
set ytics (0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
set grid ytics
set offsets 0.3, 0.3, 0, 0
set key top right noenhanced maxrows 3
set xtics rotate by -90 noenhanced font ',8'
set xlabel 'size / blocks'
do for [program in "$programs"] {
set title program noenhanced
plot for [k=1:$n] 'figures-'.program.'.dat' using 0:(column(k + 3) / column(dscls + 3)):xticlabels(sprintf("%d/%d", column(2), column(3))) \\
    with linespoints linewidth (k == dscls ? 2 : 1) pointsize 0.6 title word(columns, k)
}
unset multiplot
EOF2
