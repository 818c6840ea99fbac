#!/bin/bash
# injected.sh - programs' texts as files: --set dump_programs writes them under the hash of what the program gave, --set inject
# puts others in their place, in modes trace and run; models and caches are those of the injected text.
. test/shim/common.sh
pocl=$(cat "$vendors/pocl.icd" 2> /dev/null) || { echo "package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl CLWEAVE_MANAGE_ALL=1
program injected -lOpenCL
clweave() { "$B/clweave" "$@"; }
"$T/injected" > "$T/own" || fail "bare: exit status $?"

# dumped: source, options, log, and the binary that the program gave; the names hold from run to run
for mode in trace run; do
    clweave $mode -o "$T/$mode.json" --set dump_programs="$T/$mode" -- "$T/injected" > "$T/out" 2> "$T/err" || fail "$mode: $(cat "$T/err")"
    cmp -s "$T/own" "$T/out" || fail "$mode --set dump_programs: another result"
    clweave $mode --set dump_programs="$T/$mode" -o "$T/again.json" -- "$T/injected" > /dev/null 2>&1 || fail "$mode: again"
    [ "$(ls "$T/$mode" | wc -l)" = 6 ] || fail "$mode: not six files: $(ls "$T/$mode")"
    [ -z "$(find "$T/$mode" -type f -perm /077)" ] || fail "$mode: files are open to others"
done
source=$(basename "$(ls "$T"/trace/*.cl)") hash=${source%.cl}
[ -e "$T/run/$source" ] || fail "modes name a source differently"
grep -q "out\[get_global_id(0)\] = N" "$T/trace/$source" || fail "no source"
grep -q "\"source_hash\":\"0x0*${hash##+(0)}\"" "$T/trace.json" || [ "$(printf '0x%x' 0x$hash)" = "$(sed -n 's/.*"source_hash":"\(0x[0-9a-f]*\)".*/\1/p' "$T/trace.json" | head -n 1)" ] ||
    fail "traces have another hash"
options=$(ls "$T/trace" | grep "^$hash-.*\.options\$")
[ "$(cat "$T/trace/$options")" = -DN=1 ] || fail "options: $(cat "$T/trace/$options")"
grep -q ":\$" "$T/trace/${options%.options}.log" || fail "no build log"
[ "$(ls "$T"/trace/*.bin | wc -l)" = 1 ] || fail "no binary"
# without the tool, and in a folder that must be made
(cd "$T" && CLWEAVE_MODE=run CLWEAVE_DUMP_PROGRAMS=alone LD_PRELOAD="$shim" "$T/injected" > /dev/null) || fail "without the tool"
[ -e "$T/alone/$source" ] || fail "without the tool: nothing dumped"

# ran NAME MODE RESULT: with the folder in/, the program prints RESULT first
ran() {
    clweave $2 -o "$T/ran.json" --set inject="$T/in" -- "$T/injected" 5 > "$T/out" 2> "$T/err" || [ "$3" = "build: -11" ] || fail "$1, $2: $(cat "$T/err")"
    [ "$(head -n 1 "$T/out")" = "$3" ] || fail "$1, $2: $(cat "$T/out"), wanted $3"
}
mkdir "$T/in"
for mode in trace run; do
    # the source: seen by the program, too, and said
    sed 's/= N +/= 40 + N +/' "$T/trace/$source" > "$T/in/$source"
    ran source $mode 41
    grep -q "with text of $T/in in place of its own" "$T/err" || fail "$mode: not said: $(cat "$T/err")"
    grep -q "source of $(($(stat -c %s "$T/in/$source") + 1)) bytes" "$T/out" || fail "$mode: the program sees $(sed -n 2p "$T/out")"
    grep -q "\"injected_for\":\"0x0*$(printf %x 0x$hash)\"" "$T/ran.json" || fail "$mode: the trace does not say it"
    clweave report "$T/ran.json" | grep -q "Injected programs" || fail "$mode: the report does not say it"
    # options of this build, then of any
    echo -DN=7 > "$T/in/$options"; ran "source and options" $mode 47
    mv "$T/in/$options" "$T/in/$hash.options"; rm "$T/in/$source"; ran "options" $mode 7
    echo -DN=9 > "$T/in/$options"; ran "options of one build and of any" $mode 9
    rm "$T"/in/*
    # a text that does not compile fails the program's build
    echo 'kernel void number(global int *out) { nonsense }' > "$T/in/$source"; ran nonsense $mode "build: -11"
    rm "$T"/in/*
    ran nothing $mode 1
done
# a binary: that of the injected source in place of the program's own
sed 's/= N +/= 60 + N +/' "$T/trace/$source" > "$T/in/$source"
clweave trace -o "$T/x.json" --set inject="$T/in" --set dump_programs="$T/other" -- "$T/injected" > /dev/null 2>&1 || fail "both options"
cmp -s "$T/other/$source" "$T/trace/$source" || fail "the dump is not of the program's own text"
cp "$T"/other/*.bin "$T/in/$(basename "$(ls "$T"/trace/*.bin)")"; rm "$T/in/$source"
ran binary trace 1; grep -q "^61 from a binary" "$T/out" || fail "binary: $(cat "$T/out")"
rm "$T"/in/*

# the graph is that of the injected kernel, also where models of the program's own are kept: this one writes one item only
writes() { python3 -c 'import json, sys; print([w["bytes"] for c in json.load(open(sys.argv[1]))["commands"] if "kernel" in c for w in c.get("writes", [])][:1])' "$1"; }
export XDG_CACHE_HOME=$T/cache; mkdir "$XDG_CACHE_HOME"
if [ -x "$B/clweave-footprint" ]; then
    clweave trace -o "$T/w.json" -- "$T/injected" > /dev/null 2>&1
    [ "$(writes "$T/w.json")" = "[1024]" ] || fail "the program's own kernel writes $(writes "$T/w.json")"
    echo 'kernel void number(global int *out) { if (get_global_id(0) < 64) out[get_global_id(0)] = N; }' > "$T/in/$source"
    clweave trace -o "$T/w.json" --set inject="$T/in" -- "$T/injected" > /dev/null 2>&1 || true
    [ "$(writes "$T/w.json")" = "[256]" ] || fail "the injected kernel writes $(writes "$T/w.json")"
    rm "$T"/in/*
fi

# what cannot be read or written: said, and the program runs as it is
mkfifo "$T/in/$source"; ran "a pipe" trace 1; grep -q "cannot inject .*$source" "$T/err" || fail "a pipe: $(cat "$T/err")"
rm "$T/in/$source"; mkdir "$T/in/$source"; ran "a folder" run 1
rmdir "$T/in/$source"; truncate -s 100M "$T/in/$source"; ran "100 MiB" trace 1
rm "$T/in/$source"
refused() { local status=0; clweave "$@" -- touch "$T/touched" 2> "$T/err" || status=$?; [ $status = 2 ] && [ ! -e "$T/touched" ] || fail "$*: $(cat "$T/err")"; }
refused trace --set inject="$T/none" -o "$T/t.json"
refused run --set inject="$T/own"
refused trace --set dump_programs="$T/own/x" -o "$T/t.json"
mkdir -p "$T/bad/${options%.options}.log" # where a log should be
clweave trace -o "$T/t.json" --set dump_programs="$T/bad" -- "$T/injected" > "$T/out" 2> "$T/err" || fail "what cannot be written: $(cat "$T/err")"
cmp -s "$T/own" "$T/out" && grep -q "cannot write .*\.log: .*no more programs are dumped" "$T/err" || fail "what cannot be written: $(cat "$T/err")"
[ "$(ls "$T/bad" | wc -l)" = 3 ] || fail "what cannot be written: $(ls "$T/bad")"
