# SPDX-License-Identifier: Apache-2.0
"""What a process does that does not end when it should: the stacks of its threads, for the log of the test.

    wait(process, seconds)   as process.wait(seconds); before it raises that, the stacks are printed
    show(pid)                prints them, if there is gdb (Debian package gdb), else what the kernel says of the threads
"""
import glob
import shutil
import subprocess


def kernel(pid):
    for task in sorted(glob.glob(f'/proc/{pid}/task/*')):
        try:
            said = [open(f'{task}/{name}', encoding='ascii').read().strip() for name in ('comm', 'wchan', 'syscall')]
        except OSError:
            continue
        print(task, *said)


def show(pid):
    print(f'the threads of {pid}:')
    if not shutil.which('gdb'):
        kernel(pid)
        return
    try:
        subprocess.run(['gdb', '-p', str(pid), '-batch', '-nx', '-ex', 'thread apply all backtrace 40'], check=False,
                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    except subprocess.TimeoutExpired:
        kernel(pid)


def wait(process, seconds):
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        show(process.pid)
        raise
