#!/bin/bash
# ffmpeg with OpenCL filters: images only, local sizes left to the implementation. The result is a hash of all frames.
. test/realapps/common.sh
needs ffmpeg ffmpeg
filters=(ffmpeg -v error -init_hw_device opencl=ocl:0.0 -filter_hw_device ocl \
    -f lavfi -i testsrc2=s=320x240:d=0.6:r=10 -vf "format=yuv420p,hwupload,avgblur_opencl=sizeX=3:sizeY=3,\
erosion_opencl,dilation_opencl,transpose_opencl=dir=clock,pad_opencl=w=400:h=400:x=20:y=10,hwdownload,format=yuv420p" \
    -f md5 -)
same_everywhere "${filters[@]}"
same_in_run_mode "${filters[@]}"
grep -q '^MD5=' "$T/bare/stdout" || fail "ffmpeg printed no hash"
verdict
