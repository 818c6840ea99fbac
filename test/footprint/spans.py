"""spans.py - sets of bytes as sorted intervals."""


class Spans:
    """A sorted list of disjoint half-open intervals."""

    def __init__(self, intervals=()):
        self.v = []
        for begin, end in sorted(map(tuple, intervals)):
            if self.v and begin <= self.v[-1][1]:
                self.v[-1] = (self.v[-1][0], max(end, self.v[-1][1]))
            else:
                self.v.append((begin, end))

    def outside(self, other):
        """The first part of self that `other` does not cover, or None."""
        for begin, end in self.v:
            for b, e in other.v:
                if b <= begin < e:
                    begin = e
            if begin < end:
                return (begin, end)
        return None

    def bytes(self):
        return sum(e - b for b, e in self.v)
