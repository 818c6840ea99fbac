"""csource.py - C sources as the layout check reads them: code without comments and texts, structs with their fields, functions."""
import functools
import pathlib
import re

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CALLED = re.compile(r'\(\s*\*\s*(?:const\s+)?(\w+)\s*(?:\[[^\]]*\])?\)\s*\(')


@functools.lru_cache(maxsize=None)
def text_of(path):
    return pathlib.Path(path).read_text(encoding='utf-8')


@functools.lru_cache(maxsize=None)
def code_of(path):
    """The text with comments as blanks and with empty texts; its lines keep their numbers."""
    def blank(found):
        text = found.group(0)
        return '""' if text[0] == '"' else '0' if text[0] == "'" else ' ' + '\n' * text.count('\n')
    return COMMENT_OR_TEXT.sub(blank, text_of(path))


@functools.lru_cache(maxsize=None)
def comments_of(path):
    return ' '.join(found for found in COMMENT_OR_TEXT.findall(text_of(path)) if found[0] == '/')


@functools.lru_cache(maxsize=None)
def body_from(code, at):
    """(what stands between the brace at `at` and the one that closes it, the offset behind that one)."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == '{') - (code[i] == '}')
        if not depth:
            return code[at + 1:i], i + 1
    return code[at + 1:], len(code)


def split_top(text, mark):
    """`text` cut at each `mark` that stands in no brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in '([{') - (c in ')]}')
        if c == mark and not depth:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


class Field:
    def __init__(self, name, is_bool, is_function):
        self.name, self.is_bool, self.is_function = name, is_bool, is_function


def fields_of(body, function_types=()):
    """The fields of a struct's body in their order: one for each declarator; those of a struct or union within it count, and a name
    that this one has does not; a field with an array is one."""
    fields = []
    for member in split_top(body, ';'):
        member = re.sub(r'^\s*#.*$', '', member, flags=re.M).strip()
        inner = re.match(r'(?:const\s+)?(?:struct|union)\s*\w*\s*\{', member)
        if inner:
            fields += fields_of(body_from(member, inner.end() - 1)[0], function_types)
            continue
        called = CALLED.search(member)
        if called:
            fields.append(Field(called.group(1), False, True))
            continue
        first = True
        for declarator in split_top(member, ','):
            name = re.search(r'(\w+)\s*(?:\[[^;]*\])?\s*(?::\s*\w+)?\s*$', declarator)
            if not name or (first and len(re.findall(r'\w+', declarator[:name.end(1)])) < 2):
                continue
            if first:
                kind = re.findall(r'\w+', declarator[:name.start(1)])
            first = False
            fields.append(Field(name.group(1), 'bool' in kind or '_Bool' in kind, bool(set(kind) & set(function_types))))
    return fields


@functools.lru_cache(maxsize=None)
def function_types_of(path):
    """Names of typedefs of functions and of pointers to them."""
    return frozenset(re.findall(r'\btypedef\b[^;{}]*?\(\s*\*?\s*(?:CL_CALLBACK\s*\*\s*)?(\w+)\s*\)\s*\(', code_of(path)))


def structs_of(path, function_types=()):
    """{name: its fields} of the structs that a file defines."""
    code, found = code_of(path), {}
    for m in re.finditer(r'\bstruct\s+(\w+)\s*\{', code):
        found[m.group(1)] = fields_of(body_from(code, m.end() - 1)[0], function_types)
    return found


def functions_of(path):
    """(name, first line, lines) of each function: its brace stands in the first column, as the formatter puts it."""
    text = text_of(path).splitlines()
    start = None
    for i, line in enumerate(text):
        if line == '{':
            start = i
        elif line == '}' and start is not None:
            first = start - 1
            while first > 0 and text[first - 1].strip() and not text[first - 1].startswith(('}', '#', '/*', ' *', '//')):
                first -= 1
            name = re.search(r'(\w+)\(', ' '.join(text[first:start]))
            yield (name.group(1) if name else '?'), first + 1, i - first + 1
            start = None


STATEMENT = re.compile(r';|\b(?:if|for|while|switch|case|default|else|do)\b')


def statements_of(path):
    """Statements and declarations: semicolons and the words that begin a statement; lines joined or parted change nothing. The two
    semicolons in the head of a `for` count, so that a loop is worth its three parts."""
    return len(STATEMENT.findall(code_of(path)))


def words_of(path):
    return len(re.findall(r'\w+', code_of(path)))
