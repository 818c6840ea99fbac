# The order of locks (shim/door/lock_order.inc) and its check: what is in order goes through, planted wrong orders end the process with both
# names; each mutex of shim/ has its row.
. test/shim/common.sh
export OCL_ICD_VENDORS=$vendors
wraps=$(printf -- ',--wrap=pthread_%s' mutex_lock mutex_trylock mutex_unlock mutex_destroy cond_wait)
$CC $flags -DCW_LOCK_ORDER -o "$T/planted" test/shim/lock_order.c shim/door/lock_order.c "-Wl$wraps" -lpthread
for right in in_order again waits tried calls asks; do
    "$T/planted" $right > "$T/out" 2>&1 || fail "$right: exit status $?: $(cat "$T/out")"
done
# wrong NAME TEXT : aborts with that text
wrong() {
    local status=0
    (ulimit -c 0; exec "$T/planted" "$1") > "$T/out" 2>&1 || status=$?
    [ $status = 134 ] || fail "$1: exit status $status: $(cat "$T/out")"
    grep -qF "$2" "$T/out" || fail "$1: $(cat "$T/out")"
}
wrong out_of_order "a streamed queue's (run/streams/stream_queue.h) with run mode's (run/core/global_lock.c) mutex held"
wrong equal "a worker's turn's (run/workers/worker.c) with a worker's turn's"
wrong tries "a streamed queue's (run/streams/stream_queue.h) with run mode's"
wrong waits_with_another "with the log's (trace/log_file.c) mutex held"
wrong calls_back "clFlush with run mode's (run/core/global_lock.c) mutex held"
wrong asks_with_none "clGetEventInfo with the log's (trace/log_file.c) mutex held"

# a mutex has a row where it is defined or made
for file in $(grep -rlE 'PTHREAD_(RECURSIVE_)?MUTEX_INITIALIZER|pthread_mutex_init\(' shim --include='*.c'); do
    [ "$file" != shim/door/lock_order.c ] || continue
    grep -qE 'CW_LOCK_RANK\(|cw_lock_order_add\(' "$file" || fail "$file: its mutex has no row in shim/door/lock_order.inc"
done
for rank in $(sed -nE 's/^X\(([A-Z_]+),.*/\1/p' shim/door/lock_order.inc); do
    grep -rqE "CW_LOCK_RANK\(.*\b$rank\)|CW_LOCK_$rank\b" shim --include='*.c' || fail "row $rank is no mutex's"
done
