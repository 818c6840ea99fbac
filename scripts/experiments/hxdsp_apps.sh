#!/bin/bash
# hxdsp_apps.sh [FOLDER] - the HXDSP paper's three programs (Gu, Ning, Zheng 2022: blocked matrix product, feature fusion,
# map-reduce), unmodified, on 1 CPU + 4 emulated DSPs: the best single device, HEFT, HDGEFT, HDGEFT with each option. What
# `clweave run` measures, beside what `clweave replay` predicts from a trace of the bare program.
#
# Board "model": everything takes what the platform file says, the CPU too, on the virtual clock; the
#   paper's table 1 (PLATFORMS: others). No real time matters. What kernels take on the CPU replay knows from records of runs
#   with other inputs only, not from the file.
# Board "clock": the real clock and the real CPU, with one thread; DSPs whose every kernel takes SLOWER (5.5) times what that
#   thread takes (all five compute on the host's cores, which must keep up; overruns are reported), 20 us more to launch. What
#   kernels and writes take on the CPU replay knows from traces of the bare program with other inputs only, made between the
#   rounds, as a shared machine is now quicker, now slower. run and these traces do the program's work four times in a process;
#   the last time is measured, and the first one counts in no trace, as vendors compile and memory is touched at first launches.
#
# MODEL, CLOCK: inputs, "" for none of a board; PAST_program, TRAIN_program: the other inputs of either board; POLICIES, CLOCK_POLICIES; ROUNDS on the clock, MODEL_ROUNDS
# (medians).
# error: of the predicted time. of single: of the predicted share of what the best single device takes, both measured in the
#   same rounds, so that what a shared machine was slower or quicker than when the past runs were made is left out. It is told
#   only: error decides.
# Exit 1: a result is not that of the bare program; guard is more than 3 % above HEFT; a prediction more than 10 % off.
. "$(dirname "$0")/common.sh"
model=${MODEL-blockmatmul:64 blockmatmul:128 featurefusion:96 featurefusion:192 mapreduce:4096:6 mapreduce:16384:8}
clock=${CLOCK-blockmatmul:512 featurefusion:1024 mapreduce:4000000:6}
past_blockmatmul=${PAST_blockmatmul:-32 96 256}; past_featurefusion=${PAST_featurefusion:-64 128 256}
past_mapreduce=${PAST_mapreduce:-2048:6 8192:6 32768:6}
train_blockmatmul=${TRAIN_blockmatmul:-256 384 640}; train_featurefusion=${TRAIN_featurefusion:-512 768 1280}
train_mapreduce=${TRAIN_mapreduce:-1000000:6 2000000:6 8000000:6}
policies=${POLICIES:-heft hdgeft hdgeft:guard hdgeft:best-k hdgeft:best-k,guard hdgeft:cross-class hdgeft:cross-class,guard hdgeft:share-idle hdgeft:share-idle,guard hdgeft:water-filling hdgeft:water-filling,guard hdgeft:best-k,cross-class,water-filling,guard}
clock_policies=${CLOCK_POLICIES:-$policies} platforms=${PLATFORMS:-hxdsp} rounds=${ROUNDS:-5} slower=${SLOWER:-5.5} times=1
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$scratch/pocl} XDG_CACHE_HOME=$scratch/cache; mkdir -p "$POCL_CACHE_DIR" "$XDG_CACHE_HOME"
command -v python3 > /dev/null || { echo "hxdsp_apps: needs python3" >&2; exit 1; }

# span RECORD - ms from the first enqueue to the last end of what the program did last: since the last read but one
cat > "$scratch/span.py" <<'END'
import json, sys
ran = [c for c in json.load(open(sys.argv[1]))["commands"] if c.get("end_ns")]
reads = [k for k, c in enumerate(ran) if c["type"] == "CL_COMMAND_READ_BUFFER"]
ran = ran[reads[-2] + 1 if len(reads) > 1 else 0:]
print((max(c["end_ns"] for c in ran) - min(c["queued_ns"] for c in ran)) / 1e6)
END
# predicted PLANS - "makespan in ms" for each plan, in order
cat > "$scratch/predicted.py" <<'END'
import json, sys
plans = json.load(sys.stdin)
for p in plans if isinstance(plans, list) else plans.get("plans", [plans]):
    print(p["makespan"] / 1e6)
END
# slow TRACE FACTOR - a platform: the CPU as it is, DSPs that take FACTOR times what the traced launches of each kernel take
cat > "$scratch/slow.py" <<'END'
import json, sys
trace, each = json.load(open(sys.argv[1])), {}
for c in trace["commands"]:
    if c.get("kernel") is not None and c.get("end_ns"):
        items = 1
        for n in c["global_size"]:
            items *= n
        each.setdefault(trace["kernels"][c["kernel"]]["name"], []).append((c["end_ns"] - c["start_ns"]) / items)
rules = [{"name": n, "ns_per_item": float(sys.argv[2]) * sorted(v)[len(v) // 2]} for n, v in each.items()]
print(json.dumps({"format": "clweave-platform", "version": 1, "devices": [
    {"class": "cpu", "memory": "ddr", "transfers": {"bytes_per_ns": 4}},
    {"class": "dsp", "memory": "ddr", "count": 4, "launch_ns": 20000, "ns_per_item": 1000, "transfers": False, "kernels": rules}]}))
END

# warm TRACE INTO - without the times of the program's first round, up to its first read
cat > "$scratch/warm.py" <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
for c in trace["commands"]:
    for key in "queued_ns", "submit_ns", "start_ns", "end_ns":
        c.pop(key, None)
    if c["type"] == "CL_COMMAND_READ_BUFFER":
        break
json.dump(trace, open(sys.argv[2], "w"))
END
# rate PLATFORM BARE PAST... - the platform whose CPU writes as fast as in traces of the past, of the two sizes nearest to what BARE writes
cat > "$scratch/rate.py" <<'END'
import json, math, statistics, sys
def writes(trace):
    for c in trace["commands"]:
        if c["type"] == "CL_COMMAND_WRITE_BUFFER":
            yield c["transfer"]["bytes"], c.get("end_ns") and c["end_ns"] - c["start_ns"]
board, bare = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
rates = {}
for name in sys.argv[3:]:
    for bytes, ns in writes(json.load(open(name))):
        if ns:
            rates.setdefault(bytes, []).append(bytes / ns)
sizes = [bytes for bytes, _ in writes(bare)]
if rates and sizes:
    near = sorted(rates, key=lambda n: abs(math.log(n / max(sizes))))[:2]
    board["devices"][0]["transfers"] = {"bytes_per_ns": math.exp(statistics.mean(math.log(statistics.median(rates[n])) for n in near))}
json.dump(board, sys.stdout)
END

# own PLATFORM - without what kernels take on its CPU, beside launching them
cat > "$scratch/own.py" <<'END'
import json, sys
board = json.load(sys.stdin)
for d in board["devices"]:
    if d["class"] == "cpu":
        d.pop("ns_per_item")
json.dump(board, sys.stdout)
END

# others PREFIX INPUT - other inputs of its program; none of them is INPUT
others() {
    local list=$1_${2%%:*} other
    for other in ${!list}; do
        [ "${2%%:*}:$other" != "$2" ] || { echo "hxdsp_apps: $2 is among what it is predicted from" >&2; exit 1; }
        echo "${2%%:*}:$other"
    done
}
words() { echo "$B/test/apps/${1//:/ }"; }
bare() { line=$($(words "$1") $(again)); }
again() { [ $times = 1 ] || echo $times; }

# ran INPUT OPTIONS... - runs it so, checks its result, and prints ms; leaves what was said in $scratch/said
ran() {
    local input=$1 got; shift
    got=$(CLWEAVE_MANAGE_ALL=1 clweave run --set share=off --summary -o "$scratch/ran.json" "$@" -- $(words "$input") $(again) 2> "$scratch/said") &&
        [ "$got" = "$line" ] || { cat "$scratch/said" >&2; echo "hxdsp_apps: $input $*: $got instead of $line" >&2; exit 1; }
    python3 "$scratch/span.py" "$scratch/ran.json"
}
shared() { sed -n 's/.*; \([0-9]*\) launches shared by the plan.*/\1/p' "$scratch/said"; }
overran() { sed -n 's/.*commands modelled, \([0-9]*\) overran (worst \([0-9.]*\) x.*/\1,\2/p' "$scratch/said"; }
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# predict OPTIONS... - ms of the CPU alone, of one DSP, and by policy, one a line
predict() {
    plans() { clweave replay "$scratch/bare.json" --json --lp off --kernels models "$@" | python3 "$scratch/predicted.py"; }
    plans "$@" -p cpu-only
    plans "$@" --dsp 1 -p dsp-only
    plans "$@" $(printf -- '-p %s ' $policies)
}

# row BOARD INPUT POLICY PREDICTED MEASURED SHARED OVERRUNS
row() { echo "$1,${2//:/ },${3//,/+},$4,$5,${6:-0},${7:-0,0}" >> "$out/results.csv"; }

# train INPUT - once more what other inputs of its program take, into $past
train() {
    local other name
    for other in $(others train "$1"); do
        trained=$((trained + 1)) name=$scratch/past-$trained.json
        clweave trace --device-times -o "$scratch/cold.json" -- $(words "$other") $(again) > /dev/null 2>&1
        python3 "$scratch/warm.py" "$scratch/cold.json" "$name" || exit 1
        past="$past --history $name"
    done
}

# rows BOARD INPUT ROUNDS TRAINS RUN OPTIONS... - TRAINS: "train" or ":"; $past, and the board that is predicted for, $scratch/board.json
rows() {
    local board=$1 input=$2 rounds=$3 trains=$4 k=0 policy n; shift 4
    bare "$input"
    clweave trace -o "$scratch/bare.json" -- $(words "$input") > /dev/null 2>&1
    for policy in cpu-only dsp-only $policies; do # once for what the vendor compiles
        case $rounds in 1) ;; *) ran "$input" "$@" --policy "$policy" > /dev/null ;; esac
    done
    : > "$scratch/measured"
    for ((k = 0; k < rounds; k++)); do
        $trains "$input"
        for policy in cpu-only dsp-only $policies; do
            case $policy in dsp-only) n="--dsp 1" ;; *) n= ;; esac
            ms=$(ran "$input" "$@" $n --policy "$policy") || exit 1
            echo "$policy $ms $(shared) $(overran)" >> "$scratch/measured"
        done
    done
    [ "$trains" = : ] || python3 "$scratch/rate.py" "$scratch/slow.json" "$scratch/bare.json" ${past//--history/} > "$scratch/board.json" || exit 1
    predict --platform "$scratch/board.json" $past > "$scratch/plans" || exit 1
    k=0
    for policy in cpu-only dsp-only $policies; do
        k=$((k + 1))
        row "$board" "$input" "$policy" "$(sed -n "${k}p" "$scratch/plans")" "$(awk -v p="$policy" '$1 == p { print $2 }' "$scratch/measured" | median)" \
            "$(awk -v p="$policy" '$1 == p && NF == 4 { print $3 }' "$scratch/measured" | tail -n 1)" "$(awk -v p="$policy" '$1 == p { print $NF }' "$scratch/measured" | tail -n 1)"
    done
}

echo "HXDSP, three programs: 1 CPU + 4 emulated DSPs; milliseconds, measured by run and predicted by replay"
echo "board,input,policy,predicted_ms,measured_ms,shared,overruns,worst" > "$out/results.csv"
for platform in $platforms; do
    board="--dsp 4 --devices dsp --set dsp_clock=virtual --set dsp_platform=$platform"
    clweave replay --show-platform "$platform" | python3 "$scratch/own.py" > "$scratch/board.json"
    for input in $model; do
        past=
        for other in $(others past "$input"); do
            bare "$other"
            ran "$other" $board --policy cpu-only > /dev/null
            mv "$scratch/ran.json" "$scratch/past-${other//:/-}.json"
            past="$past --history $scratch/past-${other//:/-}.json"
        done
        rows "$platform" "$input" "${MODEL_ROUNDS:-3}" : $board
    done
done
export POCL_MAX_PTHREAD_COUNT=1
times=4 policies=$clock_policies
for input in $clock; do
    past= trained=0
    for k in 1 2; do clweave trace --device-times -o "$scratch/times.json" -- $(words "$input") > /dev/null 2>&1; done
    python3 "$scratch/slow.py" "$scratch/times.json" "$slower" > "$scratch/slow.json"
    rows clock "$input" "$rounds" train --dsp 4 --devices dsp --set dsp_platform="$scratch/slow.json" --history "$scratch/history.db"
done

awk -F, '
NR > 1 {
    key = $1 "," $2
    if (!(key in seen)) { seen[key] = 1; order[++rows] = key }
    if (!($3 in known)) { known[$3] = 1; policy[++n] = $3 }
    predicted[key, $3] = $4; measured[key, $3] = $5; shared[key, $3] = $6; overran += $7; if ($8 > worst) worst = $8
}
function error(key, p) { return 100 * (predicted[key, p] / measured[key, p] - 1) }
END {
    for (r = 1; r <= rows; r++) {
        key = order[r]; split(key, at, ",")
        single = measured[key, "cpu-only"] < measured[key, "dsp-only"] ? "cpu-only" : "dsp-only"
        printf "\n%s on board %s; best single device: %s, %.3f ms (predicted %.3f)\n", at[2], at[1], single == "cpu-only" ? "the CPU" : "one DSP", measured[key, single], predicted[key, single]
        alone = predicted[key, single] / measured[key, single] # what the machine was off by itself in these rounds
        printf "  %-46s %10s %10s %7s %9s %8s %8s %7s\n", "policy", "predicted", "measured", "error", "of single", "speedup", "of HEFT", "shared"
        for (p = 1; p <= n; p++) {
            if (policy[p] ~ /only$/) continue
            of = measured[key, policy[p]] / measured[key, "heft"]
            beside = 100 * ((100 + error(key, policy[p])) / 100 / alone - 1)
            printf "  %-46s %10.3f %10.3f %+6.1f%% %+8.1f%% %8.2f %8.3f %7d\n", policy[p], predicted[key, policy[p]], measured[key, policy[p]], error(key, policy[p]), beside, measured[key, single] / measured[key, policy[p]], of, shared[key, policy[p]]
            off = error(key, policy[p]) < 0 ? -error(key, policy[p]) : error(key, policy[p])
            if (beside < 0) beside = -beside
            cases++; within += off <= 10; near += beside <= 10; if (off > most) { most = off; which = key " " policy[p] }
            if (policy[p] ~ /guard/ && of > 1.03) { above++; printf "  guard is above HEFT by %.1f %%\n", 100 * (of - 1) }
        }
    }
    printf "\npredicted within 10 %%: %d of %d, the worst %.1f %% (%s)\n", within, cases, most, which
    printf "of the best single device within 10 %% of what was predicted: %d of %d\n", near, cases
    printf "guard above HEFT by more than 3 %%: %d\n", above
    printf "commands that took longer than modelled on the clock: %d, the worst %.2f times\n", overran, worst
    print "results: all equal to those of the bare programs"
    print within < cases || above ? "NOT within the margins" : "within the margins"
    exit within < cases || above
}' "$out/results.csv"
