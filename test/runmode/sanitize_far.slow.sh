# Memories of their own under the thread sanitizer: copies between them, claims, evictions, commands at home that meet them, tiles
# of one launch in several, other GPUs; and queues on several streams, with versions of buffers. SANITIZER=address,undefined: under those.
# SLOW: SANITIZER=address,undefined SLICES=2
# SLICES=2
sanitizer=${SANITIZER:-thread} planted=thread
[ $sanitizer = thread ] || planted="address leak undefined"
. test/runmode/sanitizers.bash
build_shim
tell $planted
for seed in 11 12 13 14; do
    for program in anything crowd; do
        as $program$seed runmode/$program $seed
        apart "$T/$program$seed" $seed
    done
    as medley$seed runmode/medley 20 $seed
    apart "$T/medley$seed" $seed
done
for seed in 1 2; do
    for program in chains8 manybufs mapreduce edges cholesky userevents_maps jacobi tiles onebuffer integers; do apart apps/$program $seed; done
    for program in memories natives mapped order waits counts content; do apart runmode/$program $seed; done
done
for seed in 1 2 3; do
    for program in apps/jacobi apps/tiles apps/onebuffer runmode/memories runmode/natives runmode/table runmode/builds_anew; do helped $program $seed; done
done
for seed in 1 2 3; do
    as reads$seed runmode/reads $seed
    CLWEAVE_STAGING=force helped "$T/reads$seed" $seed
done
for seed in 1 2; do
    as versions$seed runmode/versions 4 $seed
    as clones runmode/versions 0 1 0
    as queues runmode/versions 0 1 0 queues
    as medley$seed runmode/medley 20 $seed
    for program in "$T/versions$seed" "$T/clones" "$T/queues" "$T/medley$seed" runmode/streams runmode/mapped runmode/waits apps/threads; do streamed $program $seed; done
done
! sums "${moved:-0}" "${cut:-0}" || { [ "${sum[0]}" -gt 20 ] && [ "${sum[1]}" -gt 20 ]; } ||
    fail "only ${sum[0]} launches left home, ${sum[1]} were cut"
done_
