"""groups.py rows|programs|grid - what run mode gains with --groups auto; python3 and nothing else, for machines that have little.

rows      a five-point stencil, rounds of 16 steps between waits, on arrays larger than the last cache and on arrays that fit: bare,
          by hand (the same unmodified kernel in bands, in wavefronts over all steps; the best of three heights), and auto
programs  the programs of test/apps/stencil, that wait at the end only, and one that waits for every step
grid      the stencil with tiles and data of each core's group fixed, over a grid of both; auto's own choice last

Environment: B, the build; REPEAT (5) interleaved repetitions; SIDE (6144) and SMALL (1024) of the grids; WIDTH, HEIGHT, STEPS of
the programs; BUDGET, seconds after which no further repetition begins. What auto learns stays in XDG_CACHE_HOME: processes that
are not counted learn before the first repetition."""
import math
import os
import re
import statistics
import subprocess
import sys
import time

B = os.environ['B']
REPEAT = int(os.environ.get('REPEAT', 5))
SIDE, SMALL = int(os.environ.get('SIDE', 6144)), int(os.environ.get('SMALL', 1024))
WIDTH, HEIGHT, STEPS = (int(os.environ.get(name, value)) for name, value in (('WIDTH', 2048), ('HEIGHT', 24576), ('STEPS', 32)))
STOP = time.monotonic() + float(os.environ.get('BUDGET', 1e9))
RUN = {'LD_PRELOAD': f'{B}/libclweave.so', 'CLWEAVE_TOOL': '1', 'CLWEAVE_MODE': 'run', 'CLWEAVE_GROUPS': 'auto', 'CLWEAVE_SUMMARY': '1'}


def times(arguments, **settings):
    """Milliseconds that a program says on stderr, what else it says there, and the hash of its results."""
    command = [f'{B}/test/{arguments[0]}'] + [str(a) for a in arguments[1:]]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    return ([float(x) for x in re.findall(r'^[0-9.]+$', done.stderr, re.M)],
            [line for line in done.stderr.split('\n') if line.startswith('run:')], done.stdout)


def last(n, arguments, **settings):
    return statistics.median(times(arguments, **settings)[0][-n:])


def shown(values):
    return f'{statistics.median(values):5.2f} [{min(values):.2f}, {max(values):.2f}]' if values else 'none'


def row(name, side, rounds):
    program, results = 'bench/groups_speed', []
    times([program, side, 16, 2 * rounds], **RUN)
    for _ in range(REPEAT):
        if time.monotonic() > STOP:
            break
        bare = last(3, [program, side, 16, 4])
        hand = min(last(3, [program, side, 16, 4, band]) for band in (32, 64, 128))
        results.append((bare, hand, last(4, [program, side, 16, rounds], **RUN)))
    print(f'{name:8}{statistics.median(b for b, _, _ in results):10.2f}{shown([b / h for b, h, _ in results]):>22}'
          f'{shown([b / r for b, _, r in results]):>22}{shown([h / r for _, h, r in results]):>22}   {len(results)} rounds', flush=True)


def rows():
    print('stencil, 16 steps between waits: times faster than bare, median [least, most]; ms of a round')
    print('%-8s%10s%22s%22s%22s' % ('', 'bare ms', 'by hand', '--groups auto', 'auto over by hand'))
    row('fits', SMALL, 60)
    row('large', SIDE, 8)


def programs():
    flat, deep = [WIDTH, HEIGHT], [256, 256, HEIGHT * WIDTH // 65536]
    jobs = [['flat', kind, *flat] for kind in ('five', 'nine', 'star')] + [['solid', kind, *deep] for kind in ('seven', 'all')]
    jobs += [[kind, *flat] for kind in ('wave', 'redblack', 'fields', 'sweep')]
    gains = []
    for sync, some in ((0, jobs), (1, jobs[:1])):
        for job in some:
            if time.monotonic() > STOP:
                break
            arguments = ['apps/stencil/' + job[0], *job[1:], STEPS, sync, 0]
            ratios, same = [], True
            for _ in range(5):  # helpers begin at once where earlier runs were long enough
                says = times(arguments, **RUN)[1]
            for _ in range(REPEAT):
                bare, run = times(arguments), times(arguments, **RUN)
                ratios.append(bare[0][-1] / run[0][-1])
                same &= bare[2] == run[2]
                says = run[1]
            gains += [statistics.median(ratios)] if not sync else []
            chains = [re.sub(r'.*groups: ', '', line) for line in says if 'groups:' in line]
            print(f'{" ".join(job[:2] if isinstance(job[1], str) else job[:1]):12} {"each step" if sync else "at the end"}'
                  f'  {bare[0][-1]:8.1f} ms bare {shown(ratios):>22} {"" if same else "DIFFERENT RESULTS"}  {"; ".join(chains)}', flush=True)
    if gains:
        print(f'geometric mean over {len(gains)} that wait at the end: {math.exp(sum(map(math.log, gains)) / len(gains)):.2f}')


def grid():
    program = ['bench/groups_speed', SIDE, 16, 6]
    print('tile_kib data_kib ms')
    for repetition in range(REPEAT):
        print(f'bare 0 {last(3, program):.2f}')
        for data in (640, 1280, 2560, 5120, 20480, 81920):
            for share in (8, 4, 2):
                if time.monotonic() > STOP:
                    return
                ms = last(3, program, **{**RUN, 'CLWEAVE_GROUPS': 'on', 'CLWEAVE_GROUP_TILE': f'{data // share}:{data}'})
                print(f'{data // share} {data} {ms:.2f}', flush=True)
        if not repetition:
            times(program[:3] + [24], **RUN)
        milliseconds, says, _ = times(program[:3] + [10], **RUN)
        tile = [re.search(r'tiles of (\d+) KiB of (\d+) KiB', line) for line in says]
        print('chosen', ' '.join(f'{t.group(1)}:{t.group(2)}' for t in tile if t) or 'plain', f'{statistics.median(milliseconds[-3:]):.2f}', flush=True)


if __name__ == '__main__':
    {'rows': rows, 'programs': programs, 'grid': grid}[sys.argv[1] if len(sys.argv) > 1 else 'rows']()
