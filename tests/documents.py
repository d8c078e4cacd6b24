#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is written for people.

- Each link of a .md file to a file or a heading of the project leads somewhere, and each .md file that a source,
  a test or a configuration names is there.
- The reference: README.md names every chapter, grammar/local.mk too, in one order; none is long; its syntax is that
  of the chapters.
"""
import os
import re
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
MOST_LINES = 400
NAMED = re.compile(r'\b(?:grammar|src|tests|rules|contrib|examples)/(?:[\w-]+/)*[\w-]+\.md\b')
faults = []


def fault(place, what):
    faults.append(f'{place}: {what}')


def read(name):
    with open(os.path.join(TOP, name), encoding='utf-8', errors='replace') as file:
        return file.read()


def files():
    """Of the project, but what builds and tests leave."""
    for folder, below, names in os.walk(TOP):
        below[:] = [b for b in below if b[0] not in '._' and not b.startswith(('tocsin-', 'autom4te'))]
        for name in names:
            if not name.startswith('.'):
                yield os.path.relpath(os.path.join(folder, name), TOP)


def prose(text):
    """Numbered lines, without blocks of code and `code`."""
    code = False
    for number, line in enumerate(text.split('\n'), 1):
        if line.lstrip().startswith('```'):
            code = not code
        elif not code:
            yield number, re.sub(r'`[^`]*`', '', line)


def anchors(text):
    """What a heading is called in a link."""
    seen, code = {}, False
    for line in text.split('\n'):
        if line.lstrip().startswith('```'):
            code = not code
        heading = None if code else re.match(r'#+ +(.*?) *#*$', line)
        if heading:
            slug = re.sub(r'[^\w\- ]', '', heading.group(1).lower()).replace(' ', '-')
            n = seen[slug] = seen.get(slug, -1) + 1
            yield f'{slug}-{n}' if n else slug


def links(name):
    for number, line in prose(read(name)):
        for target in re.findall(r'\]\(([^)\s]+)\)', line) + re.findall(r'^\[[^\]]+\]: *(\S+)', line):
            if re.match(r'[a-z]+:', target):
                continue
            path, _, anchor = target.partition('#')
            to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(TOP, to)):
                fault(f'{name}:{number}', f'{target}: there is no {to}')
            elif anchor and anchor not in anchors(read(to)):
                fault(f'{name}:{number}', f'{target}: {to} has no such heading')
            yield target


def chapters():
    front = read('grammar/README.md')
    listed = re.findall(r'^\| \[[^\]]*\]\(([^)]*)\) \|', front, re.M)
    made = re.search(r'^grammar_chapters = ((?:.*\\\n)*.*)$', read('grammar/local.mk'), re.M)
    shipped = [os.path.basename(word) for word in made.group(1).replace('\\\n', ' ').split()]
    if shipped != ['README.md'] + listed:
        fault('grammar/local.mk', f'its chapters are not those of README.md: {shipped}')
    there = sorted(name for name in os.listdir(os.path.join(TOP, 'grammar')) if name.endswith('.md'))
    if there != sorted(shipped):
        fault('grammar/README.md', f'names other chapters than there are: {sorted(set(there) ^ set(shipped))}')
    syntax = []
    for name in there:
        if read('grammar/' + name).count('\n') > MOST_LINES:
            fault(f'grammar/{name}', f'more than {MOST_LINES} lines')
    for name in listed:
        syntax += re.findall(r'^```syntax\n(.*?)^```$', read('grammar/' + name), re.M | re.S)
    if re.findall(r'^```syntax\n(.*?)^```$', front, re.M | re.S) != ['\n'.join(syntax)]:
        fault('grammar/README.md', 'its syntax is not that of the chapters, which is:\n' + '\n'.join(syntax))


def main():
    here, n = sorted(files()), 0
    for name in here:
        if name.endswith('.md'):
            n += len(list(links(name)))
        if name.endswith(('.md', '.c', '.h', '.def', '.cc', '.sh', '.py', '.mk', '.conf', '.rule', '.json', '.in')):
            for number, line in enumerate(read(name).split('\n'), 1):
                for named in NAMED.findall(line):
                    if not os.path.exists(os.path.join(TOP, named)):
                        fault(f'{name}:{number}', f'there is no {named}')
    chapters()
    if n < 50:
        fault('README.md', f'only {n} links were found')
    print('\n'.join(faults) or f'{n} links lead somewhere')
    sys.exit(1 if faults else 0)


main()
