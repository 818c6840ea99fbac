"""groups_plot.py GRID.txt PLOT.svg [--llc KIB] [--lanes N] - time over footprint, from what `groups.py grid` has printed.

Each point is the median time of a round with tiles and data of each core's group fixed; a line joins the points of one
number of tiles per group. x: what the groups of all lanes touch together (data of one x lanes), in KiB. Dashed: half of the
last cache, the rule of priority groups; dotted: the same stencil without reordering; the ring: what --groups auto took,
where it has chosen most often. Also printed: that time over the best of the grid, which of so many points has been lucky in
part; so, too, with the best of all other repetitions, timed in the one repetition that has not elected it, the median over
repetitions and its interval (ratios.py). python3 and nothing else."""
import argparse
import math
import os
import statistics
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from ratios import interval  # noqa: E402  pylint: disable=wrong-import-position

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 64, 24, 28, 56
COLOURS = {16: '#8d6a9f', 8: '#1b6ca8', 4: '#d1495b', 2: '#66a182'}


def read(lines):
    """(data, share) to ms; ms of bare; what was chosen, (data, tile, ms of all choices), medians. The chosen over the best elected
    by other repetitions, of each that is whole."""
    grid, bare, chosen, took = {}, [], [], []
    for line in lines:
        words = line.split()
        if len(words) != 3:
            continue
        if words[0] == 'bare':
            bare.append(float(words[2]))
        elif words[0] == 'chosen':
            took.append(float(words[2]))
            if ':' in words[1]:
                chosen.append(tuple(map(int, words[1].split(':'))))
        elif words[0].isdigit():
            tile, data, ms = int(words[0]), int(words[1]), float(words[2])
            grid.setdefault((data, round(data / tile)), []).append(ms)
    over = [took[r] / elected(grid, r) for r in range(min(map(len, [took, *grid.values()])))] if grid else []
    grid = {key: statistics.median(all_ms) for key, all_ms in grid.items()}
    if chosen:
        tile, data = statistics.mode(chosen)
        chosen = data, tile, statistics.median(took)
    return grid, statistics.median(bare) if bare else None, chosen or None, over if len(over) > 1 else []


def elected(grid, repetition):
    """Its time in `repetition`, which has no vote."""
    others = {key: statistics.median(all_ms[:repetition] + all_ms[repetition + 1:]) for key, all_ms in grid.items() if len(all_ms) > 1}
    return grid[min(others, key=others.get)][repetition] if others else math.nan


def last_cache_kib():
    size, highest = 32768, 0
    for index in range(10):
        try:
            folder = f'/sys/devices/system/cpu/cpu0/cache/index{index}/'
            with open(folder + 'level', encoding='ascii') as level, open(folder + 'size', encoding='ascii') as text:
                if int(level.read()) >= highest:
                    size = int(text.read().strip().rstrip('K'))
        except OSError:
            break
    return size


def draw(grid, bare, chosen, llc, lanes):
    everything = [d * lanes for d, _ in grid] + [llc / 2]
    low, high = math.log2(min(everything)) - .4, math.log2(max(everything)) + .4
    top = 1.08 * max([*grid.values(), bare or 0, chosen[2] if chosen else 0])

    def x(kib):
        return LEFT + (math.log2(kib) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(ms):
        return HEIGHT - BOTTOM - ms / top * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="#333"/>']
    for k in range(5):
        ms = top * k / 4
        out.append(f'<text x="{LEFT - 6}" y="{y(ms) + 4:.1f}" text-anchor="end">{ms:.0f}</text>')
    for kib in sorted({d * lanes for d, _ in grid}):
        out.append(f'<text x="{x(kib):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{kib}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">KiB that the groups of all lanes touch</text>')
    out.append(f'<text x="{LEFT}" y="{TOP - 10}">ms of a round</text>')
    out.append(f'<path d="M{x(llc / 2):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#333" stroke-dasharray="6 4"/>'
               f'<text x="{x(llc / 2) - 4:.1f}" y="{HEIGHT - BOTTOM - 10}" text-anchor="end">half of the last cache</text>')
    if bare:
        out.append(f'<path d="M{LEFT} {y(bare):.1f}H{WIDTH - RIGHT}" stroke="#333" stroke-dasharray="2 3"/>'
                   f'<text x="{WIDTH - RIGHT}" y="{y(bare) - 5:.1f}" text-anchor="end">plain order</text>')
    for n, share in enumerate(sorted({s for _, s in grid}, reverse=True)):
        line = sorted((d * lanes, ms) for (d, s), ms in grid.items() if s == share)
        colour = COLOURS.get(share, '#888')
        points = ' '.join(f'{x(d):.1f},{y(ms):.1f}' for d, ms in line)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        out += [f'<circle cx="{x(d):.1f}" cy="{y(ms):.1f}" r="3.5" fill="{colour}"/>' for d, ms in line]
        out.append(f'<text x="{LEFT + 12}" y="{HEIGHT - BOTTOM - 12 - 16 * n}" fill="{colour}">{share} tiles in a group</text>')
    if chosen:
        together = chosen[0] * lanes
        out.append(f'<circle cx="{x(together):.1f}" cy="{y(chosen[2]):.1f}" r="8" fill="none" stroke="black" stroke-width="2"/>'
                   f'<text x="{x(together) + 12:.1f}" y="{y(chosen[2]) - 10:.1f}">chosen</text>')
    return '\n'.join(out + ['</svg>', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(' - ')[0])
    parser.add_argument('grid')
    parser.add_argument('plot')
    parser.add_argument('--llc', type=float, default=last_cache_kib())
    parser.add_argument('--lanes', type=int, default=2)
    options = parser.parse_args()
    with open(options.grid, encoding='utf-8') as text:
        grid, bare, chosen, over = read(text)
    if not grid:
        sys.exit('no grid in ' + options.grid)
    with open(options.plot, 'w', encoding='utf-8') as out:
        out.write(draw(grid, bare, chosen, options.llc, options.lanes))
    best = min(grid, key=grid.get)
    print(f'best of {len(grid)}: {grid[best]:.2f} ms at {best[0]} KiB a lane in {best[1]} tiles'
          + (f'; plain order {bare:.2f} ms' if bare else '')
          + (f'; chosen {chosen[2]:.2f} ms at {chosen[0]} KiB in tiles of {chosen[1]}: {chosen[2] / grid[best]:.2f} of the best' if chosen else ''))
    if over:
        print('over the best as others elect it: %.2f [%.2f, %.2f]' % interval(over))


if __name__ == '__main__':
    main()
