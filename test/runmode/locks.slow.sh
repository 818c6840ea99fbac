# Run mode and the recorder with a library that checks the order of locks, and which calls of the vendor are made with one held
# (shim/door/lock_order.inc): a breach ends the program.
# COMPILER: shared
. test/runmode/common.sh
make -s CC="${CC:-cc}" LOCK_ORDER=1 B="$T/b" "$T/b/libclweave.so" > "$T/built" 2>&1 || { tail "$T/built"; exit 1; }
ln -s "$(realpath "$B/clweave-compile")" "$T/b/"
shim=$T/b/libclweave.so
export CLWEAVE_FOOTPRINT=$B/clweave-footprint
for program in runmode/{submitted,callbacks,medley,crowd,streams,natives,commandbuffers,content,linked,references,hostile_queues,hostile_threads,mapped,memories} \
    apps/{chains8,threads,manybufs,jacobi,userevents_maps}; do
    program=$B/test/$program
    bare "$program" || continue
    in_run "$program"
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=1 CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,basic:2
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=2 CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=far:2
    in_run "$program" CLWEAVE_STREAMS=force
    in_run "$program" CLWEAVE_LEARN=all CLWEAVE_OUT="$T/trace.json"
    in_run "$program" CLWEAVE_MODE=trace CLWEAVE_CAPTURE_DATA=1 CLWEAVE_OUT="$T/trace.json"
done
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so
# not streams: it sets its user event behind an enqueue that this driver holds until then
for program in runmode/{stuck,staged,medley} apps/{chains8,threads}; do
    bare "$B/test/$program" && in_run "$B/test/$program" CLWEAVE_STREAMS=force CLWEAVE_STAGING=force
done
done_
