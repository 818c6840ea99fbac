#!/bin/bash
# samples.slow.sh - the samples of test/apps, every byte that they read: off, traced, and under policies of every family on
# every set of devices. The whole matrix is matrix.py's to run by hand.
set -u
[ -e /etc/OpenCL/vendors/pocl.icd ] || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
for source in test/apps/*.c; do
    name=$(basename "$source" .c)
    case $name in
    common) continue ;;
    commandbuffer | images | svm) allows=allows=none ;; # the vendor's own
    chains8 | disjoint) allows= ;;                      # whatever the graph allows
    *) allows=allows=managed ;;                         # two seeds need not show more
    esac
    size=
    [ "$name" = disjoint ] && size=25
    echo "$name $allows -- '$(realpath "$B")/test/apps/$name' $size"
done > "$T/samples"
MATRIX_POLICIES="chaos heft ws random dsp-only" test/suites/matrix.py "$T/samples" --build "$B" --bare 2 --again 5 --seeds 2 \
    --repeat 1 --jobs 2
