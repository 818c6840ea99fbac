# Every program of this folder prints under run mode what it prints bare: as users run it and in random orders. ALL=1: also with a
# helper that is asked for, those programs that others of the fast tests run under chaos anyway, and with all managed in program order.
# SLICES=4
# SECONDS: 40
# SLOW: ALL=1 SEEDS=10
# COMPILER: shared
. test/runmode/common.sh
for source in test/runmode/*.c; do
    program=$B/test/runmode/$(basename "$source" .c)
    case $program in # footprints.sh has headers and macros, the others have tests of their names
    */lacking | */gpucl | */idleml | */buscl) continue ;; # lacking.sh names functions; the others are libraries
    */alike | */asks | */beside | */binaries | */closes | */crowd | */drops | */filters | */firsts | */headers | */kept | */linked | */linkers | */macros | */modules | */nulls | */ragged | */sources | */steps | */subdevices | */varies | */widths) [ -n "${ALL:-}" ] || continue ;;
    esac
    mine && bare "$program" || continue
    [ -z "${ALL:-}" ] || in_run "$program" CLWEAVE_DEVICES=basic
    # where nothing is known of kernels, some launches are managed, and none behind them
    [ "$(basename "$program")" != recorded_args ] || in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_CLANG=/nonexistent
    # native commands get the times of an emulated board, those that the vendor alone knows to be wrong, too
    [ "$(basename "$program")" != errors ] || in_run "$program" CLWEAVE_DEVICES=cpu,dsp:4 CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual
    [ "$(basename "$program")" != natives ] || in_run "$program" CLWEAVE_DEVICES=sub:2 CLWEAVE_POLICY=chaos # a thread that is held
    [ "$(basename "$program")" != subqueues ] || in_run "$program" CLWEAVE_DEVICES=none # its queue's device is none of run mode's
    case $program in # it makes a dozen kernels, each compiled anew
    */pixels) [ -z "${ALL:-}" ] || in_run "$program" ;;
    *) in_run "$program" ;;
    esac
    [ -z "${ALL:-}" ] || in_run "$program" CLWEAVE_MANAGE_ALL=1
    devices=
    [ -n "${ALL:-}" ] || case $program in
    */pixels) devices=CLWEAVE_DEVICES=none ;; # each of its kernels would be compiled again; filters.sh has images on helpers
    esac
    for seed in $(seq "${SEEDS:-1}"); do
        in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 $devices
        managed 1
    done
done
done_
