"""groups.py rows | list end|step | grid KIND - what run mode gains with --groups auto; python3 and nothing else, for machines that have little.

rows   a five-point stencil, rounds of 16 steps between waits, on arrays larger than the last cache and on arrays that fit: bare,
       by hand (the same unmodified kernel in bands, in wavefronts over all steps; the best of three heights), and auto. Printed:
       medians of ratios and their 95 % intervals (ratios.py), and whether the limits are met
list   rows for pairs.py: the programs of test/apps/stencil; `list end` that wait at the end only, on arrays larger than the last
       cache; `list step` two of them that wait for each step, and two whose arrays fit in the last cache
grid   `grid rounds` (that stencil) or a program (five, seven, wave ...): with tiles and data of each core's group fixed, over a grid
       of both, bare, and as auto chooses: all warmed alike, in an order that turns

Environment: B, the build; REPEAT (9) interleaved repetitions; LEARN (16) runs of auto before a grid; SIDE (6144) and SMALL (1024) of the grids; WIDTH, HEIGHT, STEPS of
the programs; BUDGET, seconds after which no further repetition begins. What auto learns stays in XDG_CACHE_HOME: processes that
are not counted learn before the first repetition."""
import os
import re
import statistics
import subprocess
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from ratios import interval, verdict  # noqa: E402  pylint: disable=wrong-import-position

B = os.environ['B']
REPEAT = int(os.environ.get('REPEAT', 9))
SIDE, SMALL = int(os.environ.get('SIDE', 6144)), int(os.environ.get('SMALL', 1024))
WIDTH, HEIGHT, STEPS = (int(os.environ.get(name, value)) for name, value in (('WIDTH', 2048), ('HEIGHT', 16384), ('STEPS', 32)))
LEARN = int(os.environ.get('LEARN', 16))
STOP = time.monotonic() + float(os.environ.get('BUDGET', 1e9))
RUN = {'LD_PRELOAD': f'{B}/libclweave.so', 'CLWEAVE_TOOL': '1', 'CLWEAVE_MODE': 'run', 'CLWEAVE_GROUPS': 'auto', 'CLWEAVE_LEARN': 'all', 'CLWEAVE_SUMMARY': '1'}


def times(arguments, **settings):
    """Milliseconds that a program says on stderr, what else it says there, and the hash of its results."""
    command = [f'{B}/test/{arguments[0]}'] + [str(a) for a in arguments[1:]]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    return ([float(x) for x in re.findall(r'^[0-9.]+$', done.stderr, re.M)],
            [line for line in done.stderr.split('\n') if line.startswith('run:')], done.stdout)


def last(n, arguments, **settings):
    return statistics.median(times(arguments, **settings)[0][-n:])


def judged(what, ratios, limit):
    """Prints a median, its interval, and what that says of `limit`; false: missed."""
    found = interval(ratios)
    word = verdict(found, limit, ('met', 'MISSED', 'not shown'))
    print('  %-28s%6.2f [%.2f, %.2f]%s' % (what, *found, f'   limit {limit}: {word}' if limit else ''), flush=True)
    return not limit or word != 'MISSED'


def row(name, side, rounds, least, by_hand):
    program, results = 'bench/groups_speed', []
    for _ in range(8):  # learns, in processes as in rounds; two of them are held back, to see what it takes without
        times([program, side, 16, 2 * rounds], **RUN)
    for _ in range(REPEAT):
        if time.monotonic() > STOP:
            break
        bare = last(3, [program, side, 16, 4])
        hand = min(last(3, [program, side, 16, 4, band]) for band in (32, 64, 128))
        results.append((bare, hand, last(4, [program, side, 16, rounds], **RUN)))
    if not results:
        return True
    print(f'{name}: {side}^2, 16 steps between waits, {len(results)} rounds; bare {interval([b for b, _, _ in results])[0]:.2f} ms')
    good = judged('by hand, over bare', [b / h for b, h, _ in results], 0)
    good &= judged('--groups auto, over bare', [b / r for b, _, r in results], least)
    return judged('--groups auto, over by hand', [h / r for _, h, r in results], by_hand) and good


def rows():
    good = row('arrays that fit in cache', SMALL, 60, .97, 0)
    return row('Jacobi, large arrays', SIDE, 8, 2.5, .9) and good


def programs(when):
    flat, solid = ['flat', f'{WIDTH} {HEIGHT}'], ['solid', f'256 256 {HEIGHT * WIDTH // 65536}']
    fits = ['flat', f'{WIDTH // 2} {HEIGHT // 16}'], ['solid', f'128 128 {HEIGHT * WIDTH // 524288}']
    jobs = [(*flat, kind) for kind in ('five', 'nine', 'box', 'star')] + [(*solid, kind) for kind in ('seven', 'cube', 'all')]
    jobs += [(kind, flat[1], '') for kind in ('wave', 'redblack', 'fields', 'sweep')]
    if when == 'end':
        slow = {'nine': STEPS // 4, 'all': STEPS // 8}  # bound by computing
        shown = [('', *job, slow.get(job[2], STEPS), 0) for job in jobs]
    else:
        shown = [('each step ', *job, STEPS, 1) for job in (jobs[0], jobs[4])]
        shown += [('fits ', *fits[0], 'five', 10 * STEPS, 0), ('fits ', *fits[1], 'seven', 10 * STEPS, 0)]
    for which, program, size, kind, steps, sync in shown:
        print(f'{which}{kind or program}\texec {B}/test/apps/stencil/{program} {kind} {size} {steps} {sync} 0')


GRID = [(data // share, data) for data in (640, 1280, 2560, 5120, 10240, 20480) for share in (16, 8, 4)]


def of_kind(kind, **settings):
    """Milliseconds of the last rounds of groups_speed, or of all steps of a program of test/apps/stencil; what it says."""
    if kind == 'rounds':
        ms, says, _ = times(['bench/groups_speed', SIDE, 16, 8], **settings)
        return statistics.median(ms[-3:]), says
    program, size = ('solid', [256, 256, HEIGHT * WIDTH // 65536]) if kind in ('seven', 'cube') else ('flat', [WIDTH, HEIGHT])
    program, name = (kind, []) if kind in ('wave', 'fields', 'redblack') else (program, [kind])
    ms, says, _ = times(['apps/stencil/' + program, *name, *size, STEPS, 0, 0], **settings)
    return ms[-1], says


def grid(kind):
    fixed = {**RUN, 'CLWEAVE_GROUPS': 'on', 'CLWEAVE_DEVICES': f'cpu,basic:{os.cpu_count()}'}  # asked for: never held back
    ways = [('bare', 0, {})] + [(tile, data, {**fixed, 'CLWEAVE_GROUP_TILE': f'{tile}:{data}'}) for tile, data in GRID]
    ways.append(('chosen', None, RUN))
    for _ in range(3 if kind == 'rounds' else LEARN):
        of_kind(kind, **RUN)
    print('tile_kib data_kib ms')
    for repetition in range(-1, REPEAT):  # the first does not count: compilers, files
        turn = (repetition + 1) * 7 % len(ways)
        for tile, data, settings in ways[turn:] + ways[:turn]:
            if time.monotonic() > STOP:
                return
            ms, says = of_kind(kind, **settings)
            found = [re.search(r'tiles of (\d+) KiB of (\d+) KiB', line) for line in says]
            if data is None:
                data = next((f'{f.group(1)}:{f.group(2)}' for f in found if f), 'plain')
            if repetition >= 0:
                print(tile, data, f'{ms:.2f}', flush=True)


if __name__ == '__main__':
    if sys.argv[1] == 'rows':
        sys.exit(not rows())
    {'list': programs, 'grid': grid}[sys.argv[1]](sys.argv[2])
