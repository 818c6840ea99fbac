"""Arrays, reductions, scans and a sort with pyopencl; prints a hash of each result, checked against numpy.

usage: pyopencl_arrays.py [rounds]   of an array that is worked on again and again, default 0"""
import hashlib
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.algorithm import RadixSort, copy_if
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.scan import InclusiveScanKernel

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
random = np.random.default_rng(9)
n = 10000


def show(name, got, right):
    assert right, name
    print(name, hashlib.sha256(np.ascontiguousarray(got).tobytes()).hexdigest()[:16])


a, b = random.random(n).astype(np.float32), random.random(n).astype(np.float32)
A, B = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
got = (2 * A + B * B - A).get()
show("expression", got, np.allclose(got, 2 * a + b * b - a, rtol=1e-5))
show("max", cl_array.max(A).get(), cl_array.max(A).get() == a.max())
show("dot", cl_array.dot(A, B).get(), abs(cl_array.dot(A, B).get() - a.dot(b)) < 1)

i = random.integers(0, 10, n).astype(np.int32)
I = cl_array.to_device(queue, i)
S = I.copy()
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(S)
show("scan", S.get(), (S.get() == np.cumsum(i)).all())
kept, count, event = copy_if(I, "ary[i] > 5")
event.wait()
show("copy_if", kept.get()[: count.get()], (kept.get()[: count.get()] == i[i > 5]).all())

ElementwiseKernel(context, "int *x", "x[i] = x[i] * 3 + (int)i", "triple")(I)
show("elementwise", I.get(), (I.get() == i * 3 + np.arange(n)).all())
x = random.integers(0, 2**16, n).astype(np.uint32)
(y,), event = RadixSort(context, "unsigned int *ary", key_expr="ary[i]", sort_arg_names=["ary"])(
    cl_array.to_device(queue, x), key_bits=16
)
event.wait()
show("sort", y.get(), (y.get() == np.sort(x)).all())
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 0
if rounds:
    steps, factor, m = 16, 1664525, 2**32
    power, series = pow(factor, steps, m), sum(pow(factor, k, m) for k in range(steps)) % m
    big = np.arange(1 << 20, dtype=np.uint32)
    BIG = cl_array.to_device(queue, big)
    stir = ElementwiseKernel(context, "unsigned *x, unsigned s", f"for (int k = 0; k < {steps}; k++) x[i] = x[i] * {factor}u + s", "stir")
    for s in range(rounds):
        stir(BIG, np.uint32(s))
        if s % 8 == 7:
            queue.finish()
        big = big * np.uint32(power) + np.uint32(s * series % m)
    show("again and again", BIG.get(), (BIG.get() == big).all())
print("done")
