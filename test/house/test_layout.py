#!/usr/bin/env python3
"""test_layout.py - the parts of the layout check on small sources whose counts are known."""
import os
import tempfile
import unittest

import calls
import csource
import layout


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.was = os.getcwd()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.was)
        self.folder.cleanup()

    def write(self, path, text):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        for cached in csource.text_of, csource.code_of, csource.comments_of, csource.function_types_of:
            cached.cache_clear()
        return path

    def test_fields(self):
        path = self.write('a.h', '''typedef void (*done)(int);
struct a { /* bool no; */
    bool x, y : 1;
    union { int i; struct { float f[4]; bool z; }; } u;
    const char *name, *text; // one; two;
    void (*run)(struct a *, int n);
    done ended;
    struct b *next;
};''')
        fields = csource.structs_of(path, csource.function_types_of(path))['a']
        self.assertEqual([f.name for f in fields], ['x', 'y', 'i', 'f', 'z', 'name', 'text', 'run', 'ended', 'next'])
        self.assertEqual([f.name for f in fields if f.is_bool], ['x', 'y', 'z'])
        self.assertEqual([f.name for f in fields if f.is_function], ['run', 'ended'])

    def test_statements_are_not_lines(self):
        parted = self.write('a.c', 'int f(int a)\n{\n    if (a)\n        a++;\n    return a; /* if; */\n}\n')
        joined = self.write('b.c', 'int f(int a){if(a)a++;return a;}char *t = ";if";')
        self.assertEqual(csource.statements_of(parted) + 1, csource.statements_of(joined))

    def test_calls_through_tables(self):
        self.write('ops.h', 'struct ops {\n int (*first)(void);\n int (*second)(void);\n};\nextern const struct ops *now;\n')
        self.write('user.c', '#include "ops.h"\nint cw_user(void)\n{\n    return now->second();\n}\n')
        self.write('blind.c', 'int cw_blind(struct other *o)\n{\n    return o->second();\n}\n')
        self.write('named.c', '#include "ops.h"\nstatic int two(void)\n{\n    return 2;\n}\nstatic const struct ops t = {.second = two};\n')
        self.write('placed.c', '#include "ops.h"\nstatic const struct ops list[] = {{cw_user, cw_far}};\n')
        self.write('far.c', 'int cw_far(void)\n{\n    return 1;\n}\n')
        owner = {'cw_user': 'user.c', 'cw_far': 'far.c'}
        edges = calls.Tables(['ops.h', 'user.c', 'blind.c', 'named.c', 'placed.c', 'far.c'], owner).edges()
        self.assertEqual(dict(edges), {'user.c': {'named.c', 'far.c'}})

    def test_circles(self):
        edges = {'a': {'b'}, 'b': {'c'}, 'c': {'a', 'd'}, 'd': {'e'}, 'e': {'d'}, 'f': {'a'}}
        self.assertEqual(calls.circles(edges, lambda s: True), [['a', 'b', 'c'], ['d', 'e']])
        self.assertEqual(calls.circles(edges, lambda s: s != 'b'), [['d', 'e']])

    def test_renamed_words(self):
        path = self.write('a.c', 'int lanes_of, planes, kept_at; // a memo\n')
        self.assertEqual(list(layout.renamed_words([path])), ['a.c:1 lanes_of', 'a.c:1 kept_at', 'a.c comment: memo'])

    def test_tables_of_handles(self):
        path = self.write('a.c', 'static struct x *list;\nbool f(void *handle)\n{\n    return list->handle == handle;\n}\n')
        plain = self.write('b.c', 'bool f(struct x *list, void *handle)\n{\n    return list->handle == handle;\n}\n')
        self.assertEqual(len(list(layout.handle_tables([path, plain]))), 1)


if __name__ == '__main__':
    unittest.main(verbosity=0)
