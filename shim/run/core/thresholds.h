/* thresholds.h - every number that run mode's "is it worth it?" goes by, each with its unit, its reason and
 * which decisions differ at half and at double of it. The limits of plans stand in planner/plan.h, those of
 * estimates in planner/estimate.c, those by which earlier runs are judged in history_runs.h. */
#ifndef CW_RUN_THRESHOLDS_H
#define CW_RUN_THRESHOLDS_H

#include <stdint.h>

/* ---- trials that fail are repeated, each time twice as much later (core/trial.h) */
/* trials in a row that fail, then a rest begins; limits of an account that earlier gains make up for; trials
 * beyond the budget; cut launches, then their speeds are kept for later runs. Half: cuts rest that gain once
 * in four; double: GPUs that lose are left after 8 losses */
#define CW_RUN_TRIAL_POOR 4
/* windows without a gain, then a rest begins, where the queue has rested. Half: one window decides; double:
 * two more are planned in vain */
#define CW_RUN_TRIAL_AGAIN 2
/* trials that show nothing, at first: windows without a gain, launches of a chain of which nothing is known,
 * runs of a chain for each way. Half: a queue that gains in each eighth window is bypassed; double: 16
 * windows are planned in vain, a quicker way is found late */
#define CW_RUN_TRIAL_LOOKS 8
/* times a launch's duration: so long it is first left whole, or left to its GPU; commands behind trials that
 * wait for their result. Half: twice as many cuts in vain at first; double: half as many */
#define CW_RUN_TRIAL_TIMES 4
/* synchronisations, with the spans between them, and plans of a launch that comes again: so many first.
 * Half: the loser of two ways is tried again after 8 spans; double: after 32 */
#define CW_RUN_TRIAL_SPANS 16
/* times its duration, and synchronisations: the most. Half: queues without gain are looked at twice as
 * often; double: a queue that could gain waits for 8192 synchronisations */
#define CW_RUN_TRIAL_MOST 4096
/* ns: the most, of waits that are times of a launch; and a launch in another memory never ends when it takes
 * so much longer than CW_RUN_FAR_HUNG_TIMES its usual time. Half: one of 4 ms is cut again after 5 s, and
 * a device that others hold up for 6 s counts as failed; double: after 16 s, and commands wait for 20 s */
#define CW_RUN_MOST_NS UINT64_C(10000000000)
/* launches, tiles, windows from one look at something that seldom changes to the next, at most; so many that
 * each say little count as one look: windows of a program that does not wait, launches that wait for code,
 * the first ones of a kernel, which all are measured. Half: shares are looked at twice as often; double: a
 * worker sleeps through 127 tiles that come in time */
#define CW_RUN_LOOK_EACH 64
/* ns: between two looks for an idle processor, which are two system calls each; so long launches run in
 * plain order until their chain looks for its kernels again; a look may cost a tenth. Half, double: it looks
 * after 5, 20 ms */
#define CW_RUN_LOOK_NS 10000000
/* launches that show enough: one in so many is measured, a share of launches is a mean of so many, a chain
 * is tried with so many at first. Half, double: one launch that copies counts for 1/8, 1/32 */
#define CW_RUN_SAMPLE 16
/* ns: of a short build, as far as others wait for it: then what the builder makes is first sought again, and
 * a launch in another memory is late. Half: a launch that is compiled counts as late; double: code that is
 * there waits for a second */
#define CW_RUN_BUILD_NS UINT64_C(500000000)
/* times: no noise makes something so much longer. A run with so much to gain lets the next one begin with
 * other GPUs; so late a launch in another memory is; a way of a chain that takes so long loses by one run.
 * Half: a single loss settles a way; double: a run that was cut from its begin loses its record */
#define CW_RUN_FAR_LONGER 2
/* share: of a time that counts for nothing. A run that began no later began at once; an account may lose so
 * much beside CW_RUN_GPU_GAIN_LOSS_NS. Half: helpers that began after 3 % of a run are not compared; double:
 * spans that lose a tenth go on */
#define CW_RUN_LITTLE 0.05
/* share of a program's work that helpers may save, or other GPUs of a launch that cannot be cut, while
 * nothing is known of it; as much is spent on trials in a run that is to show the gain. Half: helpers begin
 * after twice as much work; double: a run of 1 s loses .2 s by trials */
#define CW_RUN_HOPE 0.1

/* ---- beginning: helpers, the history and models (tuning/activation.c) */
/* ns: of any process's start, for helpers. Half, double: a program that was never seen has half, twice as
 * many of them */
#define CW_RUN_ACTIVATION_START_NS 5e6
/* part of its launches' times at home: a run that began no later than that tells its bare time by them. Half:
 * one that began after a fifth of its work does not; double: the vendor's compiler counts as work */
#define CW_RUN_ACTIVATION_KNOWN 0.25

/* ---- other GPUs (tuning/gpu_begin.c) */
/* ns: the context of one GPU, in the time of whole programs: three took .45 to .65 s on four H200. Half: they
 * are made before launches have earned them; double: launches that they would shorten stay whole twice as
 * long */
#define CW_RUN_GPU_BEGIN_NS 2e8
/* ns: so much may be lost by other GPUs, all trials together (tuning/gpu_gain.c). Half: 25 ms of waiting
 * begin a rest; double: a program of 1 s may end .2 s late */
#define CW_RUN_GPU_GAIN_LOSS_NS 1e8

/* ---- commands that wait for helpers (windows/hold.c) */
/* launches that a program has enqueued since it last waited, the first of which is not over: then it is
 * held; CW_RUN_LOOK_EACH of a queue in which hardly anything has waited of late. Half: a program that
 * waits behind each second launch is held; double: five launches are out of reach */
#define CW_RUN_HOLD_AFTER 3
/* ns of work that run mode gives the vendor at once. Half: a hold of 29 ms comes again; double: one of 30
 * ms does not */
#define CW_RUN_HOLD_NS 3e7
/* times the time of a window's launches: so long they wait at most for GPUs that are made ready; not where
 * that is less than a part of the time of a context as large. Half: windows of 50 ms wait, for 13 ms; double:
 * those of .2 s wait as long as they take */
#define CW_RUN_HOLD_GPUS 0.5

/* ---- measured times of launches (workers/worker.c, tuning/perf_model.c) */
/* times: the least of late grows by it with each measurement that is above, as a machine may have become
 * slower. Half of the .02: twice as slow a machine is believed after 70 launches, not 35; double: after 18,
 * and a busy second counts */
#define CW_RUN_LEAST_FORGETS 1.02
/* times the work-items of the largest launch that was measured: a larger one's time is not known by it. Half:
 * a launch 3 times as large is measured first; double: one in cache tells the time of one from memory */
#define CW_RUN_HOME_LARGER 4
/* ns: a command through run mode's lock and queue. Half, double: plans of launches of 10 us look 5 % quicker,
 * 10 % slower */
#define CW_RUN_HANDOFF_NS 1000
/* error over mean: beyond, the history's figure for a launch is a guess and no judge of a gain. Half: spans
 * are judged by kernels that ran 4 times as often; double: by those that ran once */
#define CW_RUN_GAIN_HALF_KNOWN 0.5

/* ---- copies between memories, before any was measured (tuning/perf_model.c); half and double last until
 * the first copies: launches begin elsewhere that lose by their copies, or stay that gain */
/* ns: of a copy beside its bytes' time, as calls of the vendor's take on PoCL. Half, double: 5, 20 us */
#define CW_RUN_COPY_NS 10000
/* bytes per ns, as a processor copies them. Half, double: 1 MB takes .4, .1 ms */
#define CW_RUN_COPY_BYTES_NS 5
/* ns, and bytes in one: the same between two GPUs (memory/relay.h). Half, double: 10, 40 us; 1 MB takes 52,
 * 13 us */
#define CW_RUN_RELAY_NS       20000
#define CW_RUN_RELAY_BYTES_NS 40.0
/* one standard error of a copy's time, as a share of it. Half, double: a plan must gain 20, 80 % of its
 * copies' time beyond it, at two errors */
#define CW_RUN_COPY_ERROR 0.2

/* ---- short commands (workers/short_task.c, windows/help.c, workers/batch.c) */
/* bytes of a transfer that takes no longer than waking a worker. Half: 16 KB wait for a worker; double: a
 * query that polls copies for 3 us */
#define CW_RUN_SHORT_BYTES 16384
/* ns that such a transfer takes. Half: a query does twice as many of them; double: half as many */
#define CW_RUN_SHORT_BYTES_NS 1500
/* ns: a thread does a command that takes less itself. Half: a launch of 4 us wakes a worker, which takes
 * longer; double: a flush, which must not block, takes 10 us */
#define CW_RUN_SHORT_TASK_NS 5000
/* ns: waking a thread that has slept, beside its work: of a device's own, for each part; of a worker, for
 * which a program that asks for the second time spins, and works so long itself. Half: launches of .1 ms
 * are cut that lose; double: cuts that gain 50 us are not made */
#define CW_RUN_WOKEN_NS 50000
/* ns of a batch: its first launch is seen to be over when its last is. Half: twice as many batches; double:
 * a program that looks at each launch is 1 ms late */
#define CW_RUN_BATCH_NS 500000
/* ns: the same where kernels run inside the enqueueing call, where a batch only saves the lock. Half: two
 * launches of 8 us take the lock twice; double: others wait for 40 us */
#define CW_RUN_BATCH_AT_ONCE_NS 20000

/* ---- threads that stay awake (workers/watch.c) */
/* ns: the longest wake-up of a thread: so long a worker watches, and a thread before and behind the
 * expected end of a block. Half: a machine in a deep sleep state wakes up behind it; double: a core spins
 * for .4 ms */
#define CW_RUN_WAKE_NS 200000

/* ---- sharing a launch (tiles/share.h) */
/* ns: shorter launches are not cut: waking a worker takes 5 to 13 us. Half: launches of 20 us are cut, which
 * gain nothing; double: those of 70 us stay whole, of which two workers save 20 */
#define CW_RUN_SHARE_LEAST_NS 40000
/* ns: the same on a GPU, whose queues wait for several of the vendor's user events then; and in groups.
 * Half: launches of .4 ms are cut; double: one of .7 ms whose bytes are away stays whole */
#define CW_RUN_TILES_NS 500000
/* ns: cost of each part beside its work. Half, double: four workers share launches from 40, 140 us on,
 * not 70 */
#define CW_RUN_SHARE_PART_NS 12000
/* copies of a part at a device with a memory of its own: of some arguments, for some blocks. Half: blocks
 * are half as large, and copy more often than is charged; double: a board has one block, and ends last */
#define CW_RUN_SHARE_COPIES 8
/* the same on a GPU, where all copies of an argument are made at once (memory/relay.h). Half: launches are
 * cut whose copies cost more; double: those stay whole that gain two copies' time */
#define CW_RUN_SHARE_AT_ONCE 2
/* ns: of a part on an emulated board. Half: launches of .4 ms go there and end later; double: those of 1 ms
 * do not */
#define CW_RUN_SHARE_SET_UP_NS 300000
/* share of the time that a launch takes as it is, whole or with the shares that GPUs have: cut otherwise
 * it may take so much at most. Half: shares stand beside a GPU that is 3 times as quick; double: they
 * creep, and launches are cut that lose */
#define CW_RUN_SHARE_GAIN 0.93
/* cut launches of a shape that are not judged, as the vendor compiles. Half: compiling is a loss; double:
 * GPUs that lose are seen two spans later */
#define CW_RUN_SHARE_COMPILED 2
/* times a DSP's time alone, before it is measured. Half: first blocks that share the memory count as late;
 * double: a DSP that hangs is found twice as late */
#define CW_RUN_SHARE_DSP_MARGIN 4
/* share of the expected time of a cut launch, and two wake-ups, after which a DSP is late. Half: blocks are
 * run twice that only shared the memory; double: a launch with a late DSP takes 1.6 times as long */
#define CW_RUN_LATE_SHARE 0.3

/* ---- launches at devices with a memory of their own (workers/late.c) */
/* times its usual time, beside CW_RUN_MOST_NS. Half: a launch of 1 s that others hold up for 20 s counts as
 * one that never ends; double: it is waited for twice as long */
#define CW_RUN_FAR_HUNG_TIMES 20
/* ns: the same where its usual time is not known, as it may be compiled first. Half: a device whose vendor
 * compiles for 40 s counts as failed; double: a first launch that hangs is waited for for two minutes */
#define CW_RUN_FAR_HUNG_NEW_NS UINT64_C(60000000000)
/* times as long where no other memory has the bytes that it needs, as it fails then. Half, double: a command
 * that can be saved by patience alone fails after 50, 200 s */
#define CW_RUN_FAR_HUNG_ALONE 10
/* ns: a device that has failed has so long to give back what it alone has (memory/quarantine.h). Half: 4 GB
 * behind a slow link are lost; double: commands that need nothing of it wait for 2 s */
#define CW_RUN_FAR_SAVE_NS UINT64_C(1000000000)

/* ---- chains as groups (groups/group.h) */
/* share of the work that groups may save, before one was measured: they are 2 to 4 times as quick. Half:
 * kernels are built after twice as much work; double: for chains that then gain nothing */
#define CW_RUN_GROUP_HOPE 0.4
/* bytes: launches that touch no more are in cache on any machine. Half: chains in cache are looked at in
 * vain; double: chains of 1.5 MB stay plain where the last cache has 2 MB */
#define CW_RUN_GROUP_LEAST_BYTES (1u << 20)
/* share of the time in plain order that a group may take at most: plain order has no hand-over in it.
 * Half: groups that gain are left; double: groups that lose stay */
#define CW_RUN_GROUP_GAIN 0.85
/* ns that a chain may wait for its kernels where the user asks for groups. Half: programs of many kernels
 * run plain at first; double: one whose build hangs waits for 40 s */
#define CW_RUN_GROUP_ASKED_NS 20000000000
/* launches up to which a chain is known by their exact number, as the gain of a plan depends on it. Half:
 * chains of 3 and 4 share a record, of which one gains; double: windows that close earlier have records of
 * their own */
#define CW_RUN_GROUP_FEW_STEPS 5
/* bytes from memory in program order over those in groups, at least; what they are worth is judged besides.
 * Half: chains whose data stay in cache are planned; double: those that save a third of their bytes are not
 * */
#define CW_RUN_GROUP_SAVES 1.25
/* bytes per ns from memory, at least as fast as one core's: what saved bytes are worth. Half: chains that
 * compute are built in vain; double: those that wait for memory for a quarter of their time are not */
#define CW_RUN_GROUP_MEMORY_RATE 10
/* bytes that a tile touches, at most. Half: twice as many tiles of a cache of 16 MB, with their hand-overs;
 * double: fewer tiles than workers */
#define CW_RUN_GROUP_BAND_MOST (4u << 20)
/* half of the last cache over a core's own, from which on a size between them is tried. Half: one more trial
 * where sizes are near; double: none on a part of a large machine, where it is the quickest */
#define CW_RUN_GROUP_BETWEEN 16

#endif
