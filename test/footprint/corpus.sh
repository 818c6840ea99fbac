#!/bin/bash
# corpus.sh FOLDER... - the launches of corpus.json (PolyBench-ACC, Rodinia, SHOC) against Oclgrind and the first OpenCL
# device. The kernels are read from folders of the reader's own (also CLWEAVE_CORPUS, colon-separated), e.g. clones of
# those suites; nothing of them is part of this repository.
set -u
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
if [ -z "${T:-}" ]; then T=$(mktemp -d); trap 'rm -rf "$T"' EXIT; fi
IFS=: read -r -a folders <<< "${CLWEAVE_CORPUS:-}"
[ $# -gt 0 ] && folders=("$@")
[ ${#folders[@]} -gt 0 ] && [ -d "${folders[0]}" ] || { echo "no folder of kernels given (CLWEAVE_CORPUS)"; exit 77; }
. test/footprint/common.sh
check "${oracle[@]}" --pocl --tiles 5 ${REPORT:+--json "$REPORT"} $here/corpus.json "${folders[@]}"
