# Every sample, captured, run again in trace order, in a plan's order and in 100 random orders: bit-identical. With a data
# edge left out: not. svm keeps pointers in shared virtual memory: that must be refused by name.
. test/execute/common.sh
count=0
for source in test/apps/*.c; do
    sample=$(basename "$source" .c)
    [ "$sample" = common ] && continue
    capture "$sample" "$B/test/apps/$sample"
    if [ "$sample" = svm ]; then
        "$cli" replay "$T/svm.json" --execute > "$T/out" 2>&1
        [ $? = 1 ] && grep -q 'command [0-9]* (.*SVM.*): .*cannot be run again' "$T/out" || { cat "$T/out"; fail "svm: not refused"; }
        continue
    fi
    for trace in "$T/$sample"*.json; do # a child's trace lies beside its parent's
        name=$(basename "$trace" .json)
        equal "$name" 100
        planned "$name"
        wrong "$name"
    done
    count=$((count + 1))
done
[ $count -ge 8 ] || fail "only $count samples"
