# A plug-in's destructor uses OpenCL within dlclose(), where the dynamic loader's lock is held: no thread that has to load code is waited
# for there. Its program is new to the helpers then; after a pause within dlclose() threads are already loading code, and are left.
# COMPILER: shared
. test/runmode/common.sh
build() { ${CC:-cc} -std=gnu11 -DCL_TARGET_OPENCL_VERSION=120 -o "$@" test/shim/plugin.c -lOpenCL -ldl || exit 1; }
build "$T/plugin"
build "$T/plugin.so" -DPLUGIN -shared -fPIC
printf '#!/bin/sh\nexec "%s" "%s"\n' "$T/plugin" "$T/plugin.so" > "$T/program"
chmod +x "$T/program"
bare "$T/program" || exit
in_run "$T/program"
in_run "$T/program" CLWEAVE_LEARN=all
for seed in 1 2; do
    in_run "$T/program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,basic:2
    managed 100
done
build "$T/plugin.so" -DPLUGIN -DPAUSE_MS=60 -shared -fPIC
for seed in 1 2 3; do
    in_run "$T/program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,basic:2
    managed 100
done
done_
