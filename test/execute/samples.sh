# Every sample, captured, run again in trace order, in a plan's order and in random orders (ORDERS of them): bit-identical. With a data
# edge left out: not. svm keeps pointers in shared virtual memory, commandbuffer hides what it does: refused by name.
# SLOW: ORDERS=100
# SECONDS: 20
. test/execute/common.sh
count=0
for source in test/apps/*.c; do
    sample=$(basename "$source" .c)
    [ "$sample" = common ] && continue
    capture "$sample" "$B/test/apps/$sample"
    refused=
    [ "$sample" = svm ] && refused='command [0-9]* (.*SVM.*): .*cannot be run again'
    [ "$sample" = commandbuffer ] && refused='command [0-9]* (COMMAND_BUFFER_KHR): .*cannot be run again'
    if [ -n "$refused" ]; then
        grep -q OK "$T/$sample.out" || continue # skipped: the vendor lacks the extension
        "$cli" replay "$T/$sample.json" --execute > "$T/out" 2>&1
        [ $? = 1 ] && grep -q "$refused" "$T/out" || { cat "$T/out"; fail "$sample: not refused"; }
        continue
    fi
    for trace in "$T/$sample"*.json; do # a child's trace lies beside its parent's
        name=$(basename "$trace" .json)
        equal "$name" "${ORDERS:-3}"
        planned "$name"
        wrong "$name"
    done
    count=$((count + 1))
done
[ $count -ge 8 ] || fail "only $count samples"
