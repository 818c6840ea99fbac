#!/usr/bin/env python3
"""peers.py [--intercept LIBOPENCL.SO] [--run COMMAND]... - what clweave records beside what others record of the same run.

Others: Intel's opencl-intercept-layer, where you have built it (--intercept names its libOpenCL.so), and PoCL's own tracers
(POCL_TRACING=cq and text). Each command runs below both recorders at once: the interceptor is preloaded, clweave is a layer of
the loader below it, so both see the same calls and the same events. Counts must be equal, times within 2 %. Two more runs
compare numbers of calls alone: each recorder by itself. Without --run: four programs of $B/test/apps. B: the build folder.
Exit 0: all is equal; 1: something is not."""
import argparse
import collections
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

WITHIN = .02
LONG_CALL_NS, LONG_CALLS_NS = 500_000, 10_000_000  # one call, all: of shorter ones the recorders' own time is more than 2 %
PROGRAMS = ['nbody 8 64 200', 'jacobi', 'cholesky', 'lu']
INTERCEPT = {'CLI_LogToFile': '1', 'CLI_ReportToFile': '1', 'CLI_ReportToStderr': '0', 'CLI_AppendPid': '1',
             'CLI_HostPerformanceTiming': '1', 'CLI_LeakChecking': '1', 'CLI_ErrorLogging': '1'}
DEVICE = {'CLI_DevicePerformanceTiming': '1', 'CLI_DevicePerformanceTimeGWSTracking': '1', 'CLI_QueueInfoLogging': '1',
          'CLI_DevicePerformanceTimeLWSTracking': '1', 'CLI_BuildLogging': '1', 'CLI_KernelInfoLogging': '1',
          'CLI_DevicePerformanceTimeLogging': '1'}
# what the interceptor itself calls below it while it takes times
OWN_CALLS = re.compile(r'clGet|clRetain|clReleaseEvent|clReleaseDevice|clCreateCommandQueue|clSetEventCallback')
ALIKE = {'clCreateCommandQueue': 'clCreateCommandQueueWithProperties'}


class Run:
    """One run of a command: its folder has the output of the recorders."""
    def __init__(self, command, library, environment, may_fail=False):
        self.kept = tempfile.TemporaryDirectory(prefix='clweave-peers-')
        self.folder = self.kept.name
        e = dict(os.environ, **environment)
        self.ours = 'CLWEAVE_MODE' in environment
        if self.ours:
            e['CLWEAVE_OUT'] = self.folder + '/%p.json'
        if library:
            e['LD_PRELOAD'], e['CLI_DumpDir'] = library, self.folder + '/theirs'
            e['LD_LIBRARY_PATH'] = os.path.dirname(library) + ':' + e.get('LD_LIBRARY_PATH', '')
        p = subprocess.run(command, shell=True, env=e, cwd=self.folder, capture_output=True, text=True, errors='replace')
        self.status = p.returncode
        if p.returncode and not may_fail:
            sys.exit(f'{command} ended with status {p.returncode}: {(p.stderr or p.stdout)[-400:]}')
        self.output = p.stdout + p.stderr

    def clweave(self, build):
        """The data of the report of the process that enqueued most, and its trace."""
        traces = [(len(json.load(open(f))['commands']), f) for f in glob.glob(self.folder + '/*.json')]
        trace = max(traces)[1]
        page = self.folder + '/page.html'
        subprocess.run([build + '/clweave', 'report', '--no-graph', '-o', page, trace], check=True, capture_output=True)
        text = open(page, encoding='utf-8', errors='replace').read()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
        return data, json.load(open(trace))

    def intercept(self):
        """Report and log of the process that enqueued most."""
        best = (-1, '', '')
        for f in glob.glob(self.folder + '/theirs*/**/clintercept_report.txt', recursive=True):
            report = open(f, errors='replace').read()
            n = int((re.search(r'Total Enqueues: (\d+)', report) or [0, 0])[1])
            log = os.path.join(os.path.dirname(f), 'clintercept_log.txt')
            best = max(best, (n, report, open(log, errors='replace').read() if os.path.exists(log) else ''))
        return best[1:]


def theirs_by_function(report):
    """Host part: {function: [calls, ns]}; kernels and 'blocking' joined."""
    rows = collections.defaultdict(lambda: [0, 0])
    part = report.split('Host Performance Timing Results:')[-1].split('Device Performance Timing')[0]
    for m in re.finditer(r'^\s*(cl\w+)(?:\( .* \))?,\s*(\d+),\s*(\d+),', part, re.M):
        rows[ALIKE.get(m[1], m[1])][0] += int(m[2])
        rows[ALIKE.get(m[1], m[1])][1] += int(m[3])
    return rows


def theirs_on_devices(report):
    """{(name, ndrange): [calls, ns, min, max]}; name is a kernel's, or a function's of other commands."""
    rows = {}
    for part in report.split('Device Performance Timing Results')[1:]:
        for m in re.finditer(r'^\s*(\S+?)((?: \w+\[.*?\])*),\s*(\d+),\s*(\d+),\s*[\d.]+%,\s*\d+,\s*(\d+),\s*(\d+)$', part, re.M):
            sizes = re.sub(r'\s+', '', m[2].replace('GWS[', '').replace('LWS[', '/').replace(']', ''))
            row = rows.setdefault((m[1], sizes), [0, 0, 1 << 62, 0])
            row[:] = row[0] + int(m[3]), row[1] + int(m[4]), min(row[2], int(m[5])), max(row[3], int(m[6]))
    return rows


def function_of(command):
    """clEnqueueReadBuffer of READ_BUFFER."""
    special = {'UNMAP_MEM_OBJECT': 'clEnqueueUnmapMemObject', 'SVM_MEMCPY': 'clEnqueueSVMMemcpy',
               'COPY_IMAGE_TO_BUFFER': 'clEnqueueCopyImageToBuffer', 'MARKER': 'clEnqueueMarkerWithWaitList',
               'BARRIER': 'clEnqueueBarrierWithWaitList', 'MIGRATE_MEM_OBJECTS': 'clEnqueueMigrateMemObjects'}
    return special.get(command, 'clEnqueue' + ''.join(w.capitalize() for w in command.split('_')))


class Table:
    def __init__(self, what):
        self.bad = 0
        print(f'\n{what}\n  {"":52} {"others":>14} {"clweave":>14}')

    def row(self, name, other, own, within=0.):
        good = other == own or (other and abs(own - other) <= within * other)
        self.bad += not good
        print(f'  {name[:52]:52} {other:>14} {own:>14}  {"" if other == own else "within 2 %" if good else "DIFFERS"}')

    def say(self, name, text):
        print(f'  {name[:52]:52} {text}')


def long_calls(report, data):
    """{function: (ns by the interceptor, ns by clweave)} of calls whose time is far above what recording takes."""
    own = {f['name']: f for f in data['functions']}
    rows = {}
    for name, (calls, ns) in theirs_by_function(report).items():
        if name in own and calls == own[name]['calls'] and not OWN_CALLS.match(name):
            if ns >= max(calls * LONG_CALL_NS, LONG_CALLS_NS):
                rows[name] = ns, own[name]['sum']
    return rows


def compare_long_calls(t, report, data, again):
    """A thread that loses its processor between the two recorders' clocks spoils a sum: the closest of three runs counts."""
    def off(v):
        return abs(v[0] - v[1]) / v[0]
    best = long_calls(report, data)
    for _ in range(2):
        if max(map(off, best.values()), default=0) > WITHIN:
            for name, v in long_calls(*again()).items():
                best[name] = min(best.get(name, v), v, key=off)
    for name, (theirs, own) in sorted(best.items(), key=lambda v: -v[1][0]):
        t.row(f'{name}, ns', theirs, own, WITHIN)


def compare_host(t, report, data, alone_theirs, alone_ours):
    own = {f['name']: f for f in data['functions']}
    for name, (calls, _) in sorted(theirs_by_function(report).items(), key=lambda v: -v[1][1]):
        f = own.get(name, {'calls': 0})
        a, b = alone_theirs.get(name, [0])[0], alone_ours.get(name, 0)
        if OWN_CALLS.match(name):
            if a or b:
                t.row(f'{name}, calls (runs of their own)', a, b)
        else:
            t.row(f'{name}, calls', calls, f['calls'])


def compare_devices(t, report, data):
    calls = theirs_by_function(report)
    rows, by_kernel = theirs_on_devices(report), collections.defaultdict(lambda: [0, 0, 1 << 62, 0])
    for (name, _), v in rows.items():
        k = by_kernel[name]
        k[:] = k[0] + v[0], k[1] + v[1], min(k[2], v[2]), max(k[3], v[3])
    own, ranges = collections.defaultdict(lambda: [0, 0, 1 << 62, 0]), {}
    for w in data['ways']:
        if not w['run']['timed']:
            continue
        k = own[w['name'] if w['kernel'] else function_of(w['name'])]
        k[:] = k[0] + w['run']['timed'], k[1] + w['run']['sum'], min(k[2], w['run']['min']), max(k[3], w['run']['max'])
    for kernel in data['kernels']:
        for r in kernel['ranges']:
            ranges[kernel['name'], r['name'].replace('×', 'x').replace(' ', '')] = [r['timed'], r['sum'], r['min'], r['max']]
    for name, k in sorted(by_kernel.items(), key=lambda v: -v[1][1])[:12]:
        if k[0] < own[name][0] == calls.get(name, [0])[0]:
            t.say(f'{name} on the device', f'the interceptor has no times of {own[name][0] - k[0]} of its {own[name][0]} calls')
            continue
        for what, a, b in zip(('launches', 'ns', 'min', 'max'), k, own[name]):
            t.row(f'{name} on the device, {what}', a, b, 0 if what == 'launches' else WITHIN)
    many = [k for k in rows if k[0] in {k['name'] for k in data['kernels'] if k['range_count'] > 1}]
    same = [k for k in many if (k[0], k[1].replace('/NULL', '')) in ranges]
    for k in sorted(same, key=lambda k: -rows[k][1])[:4]:
        t.row(f'{k[0]} {k[1]}, ns', rows[k][1], ranges[k[0], k[1].replace('/NULL', '')][1], WITHIN)


def compare_kernels(t, log, trace):
    """What the vendor says about compiled kernels: sums over all, of each quantity."""
    fields = {'Num Args': 'num_args', 'Preferred Work Group Size Multiple': 'preferred_multiple',
              'Max Work Group Size': 'max_work_group_size', 'Private Mem Size': 'private_bytes', 'Local Mem Size': 'local_bytes'}
    theirs = collections.Counter()
    for name, value in re.findall(rf'^        ({"|".join(fields)}): (\d+)', log, re.M):
        theirs[name] += int(value)
    for name, field in fields.items():
        t.row(f'kernels: {name}, sum', theirs[name], sum(k.get(field, 0) for k in trace['kernels']))


def compare_log(t, log, data, trace):
    stages = collections.defaultdict(lambda: [0, 0])
    for m in re.finditer(r'^Device Time for (\S+).*? = (\d+) ns \(queued -> submit\), (\d+) ns \(submit -> start\)', log, re.M):
        stages[m[1]][0] += int(m[2])
        stages[m[1]][1] += int(m[3])
    kernels = {w['name']: w for w in data['ways'] if w['kernel']}
    for name, (queued, submitted) in sorted(stages.items(), key=lambda v: -sum(v[1]))[:4]:
        if name in kernels:
            t.row(f'{name}: queued to submit, ns', queued, kernels[name]['queued']['sum'], WITHIN)
            t.row(f'{name}: submit to start, ns', submitted, kernels[name]['submitted']['sum'], WITHIN)
    builds = re.findall(r'Build finished in ([\d.]+) ms', log)
    own = [c for c in trace['calls'] if c['name'] in ('clBuildProgram', 'clCompileProgram', 'clLinkProgram')]
    t.row('builds', len(builds), len(own))
    if builds:
        t.row('builds, ms', round(sum(map(float, builds))), round(sum(c['end_ns'] - c['begin_ns'] for c in own) / 1e6), WITHIN)
    said = re.findall(r'Start of Build Log:\n(.*?)\n?<-------', log, re.S)
    t.row('builds that the compiler says something about', sum(bool(s.strip()) for s in said),
          sum(bool(p.get('warnings', p.get('build_log', '')).strip()) for p in trace['programs']))
    compare_kernels(t, log, trace)
    t.row('queues', len(re.findall(r'^Queue Info for', log, re.M)), len(trace['queues']))
    t.row('queues with profiling', len(re.findall(r'Queue properties: .*CL_QUEUE_PROFILING_ENABLE', log)),
          sum(q.get('profiling', False) for q in trace['queues']))


def compare_leaks(t, report, data):
    """The interceptor counts references that are left, by type; clweave counts objects."""
    kinds = {'cl_context': ['context'], 'cl_command_queue': ['queue'], 'cl_mem': ['buffer', 'image', 'pipe or SVM allocation'],
             'cl_sampler': ['sampler'], 'cl_program': ['program'], 'cl_kernel': ['kernel'], 'cl_event': ['event', 'user event']}
    own = {r['kind']: r for r in data.get('leaks', [])}
    for kind, names in kinds.items():
        ours = {k: sum(own[n][k] for n in names if n in own) for k in ('made', 'kept')}
        m = re.search(rf'leak of type {kind}!\n.*Allocations: +(\d+)\n.*Retains: +(\d+)\n.*Releases: +(\d+)', report)
        if f'No {kind} leaks' in report:
            t.row(f'{kind} kept', 0, ours['kept'])
        elif m:
            t.row(f'{kind} made', int(m[1]), ours['made'])
            left = int(m[1]) + int(m[2]) - int(m[3])
            t.row(f'{kind} kept', left if not int(m[2]) else min(left, ours['kept']), ours['kept'])


def compare_pocl(t, command, build, environment):
    cq = Run(command, None, dict(environment, POCL_TRACING='cq'), may_fail=True)
    if cq.status:
        t.say('PoCL cq', f'the program fails below this tracer (status {cq.status})')
    data = {'kernels': []} if cq.status else cq.clweave(build)[0]
    kernels = {k['name']: k for k in data['kernels']}
    for m in re.finditer(r'^\s*\d+\) (\S+)\s+(\d+)\s+(\d+)\s+\d+%\s+(\d+)\s*$', '' if cq.status else cq.output, re.M):
        k = kernels.get(m[1], {'launches': 0, 'sum': 0})
        t.row(f'PoCL cq: {m[1]}, launches', int(m[2]), k['launches'])
        # PoCL 3.1 prints ns below the heading "us"
        t.row(f'PoCL cq: {m[1]}, ns', int(m[3]), k['sum'], WITHIN)
    text = Run(command, None, dict(environment, POCL_TRACING='text'))
    data, _ = text.clweave(build)
    at, kernel_ns, count = {}, collections.Counter(), collections.Counter()
    for f in glob.glob(text.folder + '/pocl_trace_events.log'):
        for line in open(f, errors='replace'):
            v = [w.strip() for w in line.split('|')]
            if len(v) < 6:
                continue
            at[v[1], v[5]] = int(v[0])
            if v[5] == 'complete' and v[4] == 'ndrange_kernel':
                name = v[-1].split('name=')[-1]
                count[name] += 1
                kernel_ns[name] += int(v[0]) - at.get((v[1], 'running'), int(v[0]))
    kernels = {k['name']: k for k in data['kernels']}
    for name, n in count.most_common(4):
        k = kernels.get(name, {'launches': 0, 'sum': 0})
        t.row(f'PoCL text: {name}, launches', n, k['launches'])
        t.row(f'PoCL text: {name}, ns', kernel_ns[name], k['sum'], WITHIN)


def compare(command, build, library):
    t = Table(command)
    ours = {'CLWEAVE_MODE': 'trace', 'CLWEAVE_CALLS': '1', 'CLWEAVE_DEVICE_TIMES': '1',
            'OPENCL_LAYERS': os.path.abspath(build) + '/libclweave.so'}
    if library:
        both = Run(command, library, {**INTERCEPT, **DEVICE, **ours})
        data, trace = both.clweave(build)
        report, log = both.intercept()
        alone_data, _ = Run(command, None, {k: v for k, v in ours.items() if k != 'CLWEAVE_DEVICE_TIMES'}).clweave(build)
        alone_report, alone_log = Run(command, library, INTERCEPT).intercept()
        t.row('enqueues', int(re.search(r'Total Enqueues: (\d+)', report)[1]), data['enqueues'])
        compare_host(t, report, data, theirs_by_function(alone_report),
                     {ALIKE.get(f['name'], f['name']): f['calls'] for f in alone_data['functions']})
        def again():
            r = Run(command, library, {**INTERCEPT, **DEVICE, **ours})
            return r.intercept()[0], r.clweave(build)[0]
        compare_long_calls(t, report, data, again)
        compare_devices(t, report, data)
        compare_log(t, log, data, trace)
        compare_leaks(t, alone_report, alone_data)
        t.row('calls that failed (runs of their own)', len(re.findall(r'^ERROR! ', alone_log, re.M)),
              sum(f['calls'] for f in alone_data.get('failures', [])))
    compare_pocl(t, command, build, ours)
    return t.bad


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--intercept', metavar='LIBOPENCL.SO')
    p.add_argument('--run', action='append', default=[], metavar='COMMAND')
    o = p.parse_args()
    build = os.path.abspath(os.environ.get('B', 'build'))
    runs = o.run or [shlex.quote(f'{build}/test/apps/{c.split()[0]}') + c[len(c.split()[0]):] for c in PROGRAMS]
    if o.intercept and not os.path.exists(o.intercept):
        sys.exit(f'{o.intercept} is not there')
    bad = sum(compare(c, build, os.path.abspath(o.intercept) if o.intercept else None) for c in runs)
    print(f'\n{len(runs)} programs, {bad} figures differ')
    sys.exit(bad != 0)


main()
