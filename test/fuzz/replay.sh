#!/bin/bash
# Each harness over its kept corpus: inputs that once broke something, and those that reach most of the code. No libFuzzer needed.
set -u
bad=0 files=0
for harness in test/fuzz/fuzz_*.c; do
    name=$(basename "$harness" .c) inputs=()
    for f in "test/fuzz/corpus/${name#fuzz_}"/*; do [ ! -f "$f" ] || inputs+=("$f"); done
    [ ${#inputs[@]} -gt 0 ] || { echo "$name has no corpus"; bad=1; continue; }
    files=$((files + ${#inputs[@]}))
    timeout 240 "$B/test/fuzz/$name" "${inputs[@]}" > "$T/out" 2>&1 && continue
    echo "$name: exit status $?"
    tail -n 20 "$T/out"
    bad=1
done
echo "$files inputs"
exit $bad
