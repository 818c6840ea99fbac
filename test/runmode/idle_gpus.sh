# `clweave doctor` says how NVIDIA's management library (idleml.c stands for it) finds each GPU; only an idle one is offered to `run`.
# COMPILER: shared
. test/runmode/common.sh
mkdir "$T/nvml"
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -fvisibility=hidden -o "$T/nvml/libnvidia-ml.so.1" test/runmode/idleml.c || exit 1

# doctor STATE TEXT VARIABLE=VALUE... : of both GPUs it says TEXT
doctor() {
    local state=$1 text=$2; shift 2
    env OCL_ICD_VENDORS="$(realpath "$B")/test/libnullcl.so" NULLCL_GPU="NVIDIA CUDA" NULLCL_DEVICES=2 IDLEML=$state IDLEML_LOG="$T/log" \
        LD_LIBRARY_PATH="$T/nvml${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@" "$B/clweave" doctor > "$T/out" 2>&1
    [ "$(grep -c "without it, too; $text$" "$T/out")" = 2 ] || fail "$state: $(cat "$T/out")"
    compared=$((compared + 1))
}
doctor idle idle
doctor computing 'in use: 1 processes'
doctor drawing 'in use: 1 processes'
doctor filled 'in use: 2 % of its memory'
doctor deaf 'not known whether it is idle: NVML answers with errors 0, 0, 999'
doctor stopped 'not known whether it is idle: NVML does not start (error 999)'
doctor elsewhere 'not known whether it is idle: NVML has no GPU at .*'
doctor idle 'not known whether it is idle: libnvidia-ml.so.1 is not there' LD_LIBRARY_PATH=
done_
