/* thresholds.h - every number that run mode's "is it worth it?" goes by, each with its unit and reason.
 * "Half" and "double" say how decisions of the unit tests differ at that value. The limits of plans stand in
 * planner/plan.h, those of estimates in planner/estimate.c. */
#ifndef CW_RUN_THRESHOLDS_H
#define CW_RUN_THRESHOLDS_H

/* ---- trials that fail are repeated, each time twice as much later (core/backoff.h) */
/* trials in a row that fail, then a wait begins. Half: cuts rest that gain once in four; double: GPUs that
 * lose are left after 8 losses, not 4 */
#define CW_RUN_BACKOFF_POOR 4
/* trials that show nothing, at first: windows without a gain, launches of a chain of which nothing is
 * known. Half: a queue that gains in each eighth window is bypassed; double: 16 windows are planned in
 * vain */
#define CW_RUN_BACKOFF_LOOKS 8
/* trials in a row, of those that say less: windows of a program that does not wait for its commands, and
 * of launches that wait for the code of tiles. Half, double: 32, 128 such windows are planned in vain */
#define CW_RUN_BACKOFF_VAIN 64
/* times a launch's duration: so long it is first left whole, or left to its GPU. Half: twice as many cuts
 * in vain at first; double: half as many */
#define CW_RUN_BACKOFF_TIMES 4
/* synchronisations, with the spans between them, and plans of a launch that comes again: so many first.
 * Half: the loser of two ways is tried again after 8 spans; double: after 32 */
#define CW_RUN_BACKOFF_SPANS 16
/* times its duration, and synchronisations: the most. Half: queues without gain are looked at twice as
 * often; double: a queue that could gain waits for 8192 synchronisations */
#define CW_RUN_BACKOFF_MOST 4096
/* ns: the most, of waits that are times of a launch */
#define CW_RUN_BACKOFF_MOST_NS 1e10
/* launches from one look at something that seldom changes to the next, at most. Half: shares are looked at
 * twice as often; double: a worker sleeps through 127 tiles that come in time */
#define CW_RUN_LOOK_EACH 64
/* ns: between two looks for an idle processor, which are two system calls each; so long launches run in
 * plain order until their chain looks for its kernels again. Half, double: it looks after 5, 20 ms */
#define CW_RUN_LOOK_NS 10000000
/* ns: a build that the builder was asked for is first sought again; launches between GPUs stay whole that
 * have lost. Half, double: .25, 1 s */
#define CW_RUN_BACKOFF_NS 5e8

/* ---- beginning: helpers, the history and models (tuning/activation.h; the limits by which earlier runs
 * are judged are history_runs.h's) */
/* ns: of any process's start, for helpers */
#define CW_RUN_ACTIVATION_START_NS 5e6
/* share of a run's work: one that began no later counts as one that began at once */
#define CW_RUN_ACTIVATION_EARLY 0.05
/* part of its launches' times at home: a run that began no later than that tells its bare time by them */
#define CW_RUN_ACTIVATION_KNOWN 0.25
/* share of a program's work that helpers may save, or other GPUs of a launch that cannot be cut, while
 * nothing is known of it */
#define CW_RUN_HOPE 0.1

/* ---- other GPUs (tuning/gpu_begin.h) */
/* ns: the context of one GPU, in the time of whole programs: three took .45 to .65 s on four H200 */
#define CW_RUN_GPU_BEGIN_NS 2e8
/* times that: a run that had so much to gain lets the next one begin with them. Half: any run that earned
 * its GPUs does; double: one that was cut from its begin loses its record */
#define CW_RUN_GPU_BEGIN_KNOWN 2
/* ns, and share of the cut launches' time at home: so much may be lost by them, all together, before
 * launches are left whole (tuning/gpu_gain.h). Half: 10 ms of waiting begin a rest; double: spans that
 * take twice as long go on */
#define CW_RUN_GPU_GAIN_LOSS_NS 2e7
#define CW_RUN_GPU_GAIN_LOSS    0.05
/* times that: earlier gains that make up for losses, at most. Half, double: 1.5, 4.7 s are lost after a
 * gain of 9 s, not 2.6 */
#define CW_RUN_GPU_GAIN_KEPT 4

/* ---- commands that wait for helpers (windows/hold.h) */
/* launches that a program has enqueued since it last waited, the first of which is not over: then it is
 * held; CW_RUN_LOOK_EACH of a queue in which hardly anything has waited of late. Half: a program that
 * waits behind each second launch is held; double: five launches are out of reach */
#define CW_RUN_HOLD_AFTER 3
/* ns of work that run mode gives the vendor at once. Half: a hold of 29 ms comes again; double: one of 30
 * ms does not */
#define CW_RUN_HOLD_NS 3e7

/* ---- measured times of launches (workers/worker.c, tuning/perf_model.h, tuning/first_launch.h) */
/* launches of a kernel on a device: all of the first are measured; from then on a cut one that gains makes
 * rests short again; and ... */
#define CW_RUN_MEASURED_ALL 64
/* launches: ... one in so many of the later ones */
#define CW_RUN_MEASURED_EVERY 16
/* times: the least of late grows by it with each measurement that is above, as a machine may have become
 * slower */
#define CW_RUN_LEAST_FORGETS 1.02
/* times the work-items of the largest launch that was measured: a larger one's time is not known by it */
#define CW_RUN_HOME_LARGER 4
/* ns: a command through run mode's lock and queue */
#define CW_RUN_HANDOFF_NS 1000
/* share of a run's time, for trials, in a run that is to show the possible gain */
#define CW_RUN_TRIAL_SHARE 0.1
/* trials of a kernel that cost more than is left for trials, as the first launch shows nothing */
#define CW_RUN_TRIALS_GRANTED 4
/* error over mean: beyond, the history's figure for a launch is a guess and no judge of a gain */
#define CW_RUN_GAIN_HALF_KNOWN 0.5
/* commands behind trials that are worth waiting for the result of the trials */
#define CW_RUN_TRIALS_KEPT_LEAST 4

/* ---- copies between memories, before any was measured (tuning/perf_model.c) */
/* ns: of a copy beside its bytes' time, as calls of the vendor's take on PoCL */
#define CW_RUN_COPY_NS 10000
/* bytes per ns, as a processor copies them */
#define CW_RUN_COPY_BYTES_NS 5
/* ns, and bytes in one: the same between two GPUs (memory/relay.h) */
#define CW_RUN_RELAY_NS       20000
#define CW_RUN_RELAY_BYTES_NS 40.0
/* one standard error of a copy's time, as a share of it */
#define CW_RUN_COPY_ERROR 0.2

/* ---- short commands (workers/short_task.h, windows/help.c, workers/batch.h) */
/* bytes of a transfer that takes no longer than waking a worker */
#define CW_RUN_SHORT_BYTES 16384
/* ns that such a transfer takes */
#define CW_RUN_SHORT_BYTES_NS 1500
/* ns: a thread does a command that takes less itself */
#define CW_RUN_SHORT_TASK_NS 5000
/* ns: the same for a thread that asks for the second time before a worker was there: it spins */
#define CW_RUN_POLLED_NS 50000
/* ns of a batch: its first launch is seen to be over when its last is */
#define CW_RUN_BATCH_NS 500000
/* ns, likewise, where kernels run inside the enqueueing call: a batch only saves the lock there */
#define CW_RUN_BATCH_AT_ONCE_NS 20000

/* ---- threads that stay awake (workers/watch.h) */
/* ns: the longest wake-up of a thread: so long a worker watches, and a thread before and behind the
 * expected end of a block */
#define CW_RUN_WAKE_NS 200000

/* ---- queues whose commands go to the vendor (tuning/bypass.h) */
/* windows without gain, then the bypass begins, from the second time on. Half: one window decides; double:
 * two more are planned in vain */
#define CW_RUN_BYPASS_POOR_AGAIN 2

/* ---- launches that come again (workers/repeat.h, tuning/repeat_place.h) */
/* ns: at some plans home is measured instead where that costs no more: the figures of the home device may
 * come from a busy hour */
#define CW_RUN_REPEAT_LOOK_MOST_NS 1e6

/* ---- sharing a launch (tiles/share.h) */
/* ns: shorter launches are not cut: waking a worker takes 5 to 13 us */
#define CW_RUN_SHARE_LEAST_NS 40000
/* ns: the same on a GPU, whose queues wait for several of the vendor's user events then; and in groups.
 * Half: launches of .4 ms are cut; double: one of .7 ms whose bytes are away stays whole */
#define CW_RUN_TILES_NS 500000
/* ns: cost of each part beside its work */
#define CW_RUN_SHARE_PART_NS 12000
/* copies of a part at a device with a memory of its own: of some arguments, for some blocks */
#define CW_RUN_SHARE_COPIES 8
/* the same on a GPU, where all copies of an argument are made at once (memory/relay.h) */
#define CW_RUN_SHARE_AT_ONCE 2
/* ns: the same on an emulated board */
#define CW_RUN_SHARE_SET_UP_NS 300000
/* ns: where the device's own thread has to be woken for it */
#define CW_RUN_SHARE_ASYNC_NS 50000
/* share of the time that a launch takes as it is, whole or with the shares that GPUs have: cut otherwise
 * it may take so much at most. Half: shares stand beside a GPU that is 3 times as quick; double: they
 * creep, and launches are cut that lose */
#define CW_RUN_SHARE_GAIN 0.93
/* cut launches of which it is known how many have copied bytes. Half, double: one that copies counts for
 * 1/8, 1/32 */
#define CW_RUN_SHARE_COPYING 16
/* parts of cut launches of one window that a worker is remembered to have */
#define CW_RUN_SHARE_TAKEN 16
/* cut launches, then the speeds are kept for later runs; and again every CW_RUN_LOOK_EACH */
#define CW_RUN_SHARE_KEPT_FIRST 4
/* cut launches of a shape that are not judged, as the vendor compiles. Half: compiling is a loss; double:
 * GPUs that lose are seen two spans later */
#define CW_RUN_SHARE_COMPILED 2
/* times a DSP's time alone, before it is measured */
#define CW_RUN_SHARE_DSP_MARGIN 4
/* times the time of a window's launches: so long they wait at most for GPUs that are made ready; not where
 * that is less than a part of the time of a context as large */
#define CW_RUN_HOLD_GPUS 0.5
/* share of the expected time of a cut launch, and two wake-ups, after which a DSP is late */
#define CW_RUN_LATE_SHARE 0.3

/* ---- launches at devices with a memory of their own (workers/late.h) */
/* ns: a launch there is late when it takes so much longer than CW_RUN_FAR_LATE_TIMES its usual time; more
 * than a first launch that is compiled, in most cases */
#define CW_RUN_FAR_LATE_NS    UINT64_C(500000000)
#define CW_RUN_FAR_LATE_TIMES 2
/* ns: a launch there never ends when it takes so much longer than CW_RUN_FAR_HUNG_TIMES its usual time, or
 * than CW_RUN_FAR_HUNG_NEW_NS where that is not known, as it may be compiled first; and so many times as
 * long where no other memory has the bytes that it needs, as it fails then */
#define CW_RUN_FAR_HUNG_NS     UINT64_C(10000000000)
#define CW_RUN_FAR_HUNG_TIMES  20
#define CW_RUN_FAR_HUNG_NEW_NS UINT64_C(60000000000)
#define CW_RUN_FAR_HUNG_ALONE  10
/* ns: the same of a launch that a test has planted */
#define CW_RUN_FAR_HUNG_PLANTED_NS UINT64_C(200000000)
/* ns: a device that has failed has so long to give back what it alone has (memory/quarantine.h) */
#define CW_RUN_FAR_SAVE_NS UINT64_C(1000000000)
/* ---- chains as groups (groups/group.h) */
/* share of the work that groups may save, before one was measured: they are 2 to 4 times as quick */
#define CW_RUN_GROUP_HOPE 0.4
/* bytes: launches that touch no more are in cache on any machine */
#define CW_RUN_GROUP_LEAST_BYTES (1u << 20)
/* share of the time in plain order that a group may take at most: plain order has no hand-over in it.
 * Half: groups that gain are left; double: groups that lose stay */
#define CW_RUN_GROUP_GAIN 0.85
/* launches of a chain that show what a group takes, at first */
#define CW_RUN_GROUP_TRIED_STEPS 16
/* times the time in plain order: a way that takes longer is no match for it after one run. Half: a single
 * loss settles it */
#define CW_RUN_GROUP_POOR 2
/* runs of a chain for each way that was tried, before another one is. Half: trials lose more than the runs
 * have gained; double: a quicker way is found late */
#define CW_RUN_GROUP_TRIAL_EACH 8
/* ns that a chain may wait for its kernels where the user asks for groups */
#define CW_RUN_GROUP_ASKED_NS 20000000000
/* launches up to which a chain is known by their exact number, as the gain of a plan depends on it */
#define CW_RUN_GROUP_FEW_STEPS 5
/* bytes from memory in program order over those in groups, at least; what they are worth is judged besides */
#define CW_RUN_GROUP_SAVES 1.25
/* bytes per ns from memory, at least as fast as one core's: what saved bytes are worth */
#define CW_RUN_GROUP_MEMORY_RATE 10
/* bytes that a tile touches, at most */
#define CW_RUN_GROUP_BAND_MOST (4u << 20)
/* half of the last cache over a core's own, from which on a size between them is tried */
#define CW_RUN_GROUP_BETWEEN 16

#endif
