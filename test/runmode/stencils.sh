# Stencils give the same bytes whatever order their tiles are run in: two programs, one size each (the others, and all sizes
# and numbers of steps: stencils.slow.sh), with and without waiting in between, in random orders.
. test/runmode/stencils.bash
stencil "flat star" 24 17 19 0 && chaos 1 CLWEAVE_DEVICES=cpu,basic:2
stencil redblack 24 15 14 5 && chaos 2 CLWEAVE_DEVICES=cpu,basic:2
enough 8 16
done_
