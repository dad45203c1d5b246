#!/usr/bin/python3
"""libgomp.py FOLDER [EVERY [FIRST]]: GCC's own tests of offloading on a simulated GPU.

The sources are those of Debian's gcc-12-source (libgomp/testsuite). Each test is compiled by Debian's gcc, g++ or
gfortran with offloading to nvptx, as its comments for DejaGnu say, and run by `onchip run` (ONCHIP). FOLDER keeps
the executables. With EVERY only each of so many tests is taken, from the one numbered FIRST on. What fails is told;
the last line has the sums. The exit status is 1 if one fails.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

FOLDER = sys.argv[1]
EVERY = int(sys.argv[2]) if len(sys.argv) > 2 else 1
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 0
ARCHIVE = '/usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz'
SUITE = os.path.join(FOLDER, 'gcc-12.2.0/libgomp/testsuite')
PLAIN = dict(os.environ, PATH='/usr/bin:/bin')  # nvptx-as would call NVIDIA's ptxas, which knows no sm_35 any more

# Folders, the files' endings, the compiler, and which files are about offloading.
OFFLOAD = r'target|declare_target|teams|for-|nvptx|reduction|reverse|requires|thread-limit'
KINDS = [('libgomp.c', 'c', 'gcc-12', OFFLOAD), ('libgomp.c-c++-common', 'c', 'gcc-12', OFFLOAD),
         ('libgomp.oacc-c', 'c', 'gcc-12', ''), ('libgomp.oacc-c-c++-common', 'c', 'gcc-12', ''),
         ('libgomp.c++', 'C', 'g++-12', OFFLOAD),
         ('libgomp.fortran', '[fF]*', 'gfortran-12', OFFLOAD), ('libgomp.oacc-fortran', '[fF]*', 'gfortran-12', '')]


def unpack():
    if not os.path.isdir(SUITE):
        with tarfile.open(ARCHIVE) as archive:
            for member in archive:
                if '/libgomp/testsuite/' in member.name:
                    archive.extract(member, FOLDER)


def tests():
    for folder, ending, compiler, about in KINDS:
        for path in sorted(glob.glob(f'{SUITE}/{folder}/*.{ending}')):
            if re.match(f'(?:{about})', os.path.basename(path)):
                yield folder, path, compiler


# What DejaGnu would find here.
HERE = {'offload_device', 'offload_device_nonshared_as', 'offload_target_nvptx', 'openacc_nvidia_accel_selected',
        'openacc_nvidia_accel_present', 'size32plus', 'tls_runtime', 'sync_int_long', 'lto', 'lp64', 'x86_64-*-*',
        'i?86-*-*', '*-*-*'}


def applies(selector):
    """Does a selector of DejaGnu's, "target { ! openacc_host_selected }", hold here?"""
    signs = {'!': 'not', '||': 'or', '&&': 'and', '(': '(', ')': ')'}
    words = [word for word in re.findall(r'[^\s{}]+', selector) if word not in ('target', 'xfail')]
    tests = [signs.get(word, str(word in HERE)) for word in words]
    for k in range(len(tests) - 1, 0, -1):  # names side by side: one of them
        if tests[k - 1] in ('True', 'False') and tests[k] in ('True', 'False'):
            tests.insert(k, 'or')
    return not tests or bool(eval(' '.join(tests)))


def read(path):
    """What a test's comments say. None: it isn't one that is run."""
    with open(path, errors='replace') as file:
        text = file.read()
    does = re.findall(r'dg-do\s+(\w+)', text)
    if does and does[0] != 'run' or re.search(r'#include\s*<cu(da|blas)', text):
        return None
    if not all(applies(needed) for needed in re.findall(r'dg-require-effective-target\s+([\w-]+)', text)):
        return None
    options = [word for words, selector in
               re.findall(r'dg-(?:additional-)?options\s+"([^"]*)"\s*((?:\{[^\n]*\})?)\s*\}', text)
               if applies(selector) for word in shlex.split(words)]
    fails = re.findall(r'dg-shouldfail\s+"[^"]*"\s*((?:\{[^\n]*\})?)\s*\}', text)
    return {'options': options,
            'sources': [os.path.join(os.path.dirname(path), name)
                        for name in re.findall(r'dg-additional-sources\s+"?([^"}\s]+)', text)],
            'fails': any(applies(selector) for selector in fails),
            'may fail': 'dg-xfail-run-if' in text,
            'variables': dict(re.findall(r'dg-set-target-env-var\s+"?(\w+)"?\s+"([^"]*)"', text))}


def build(folder, path, compiler, test):
    """The executable; None: gcc doesn't compile it here."""
    program = os.path.abspath(f'{FOLDER}/{folder}__{os.path.basename(path)}.exe')
    if os.path.exists(program):
        return program
    if not shutil.which(compiler, path=PLAIN['PATH']):
        return None
    openacc = 'oacc' in folder
    words = [compiler, '-w', '-foffload=nvptx-none', '-I' + os.path.join(SUITE, '../../include')]
    words += ['-I' + os.path.dirname(path)]
    words += ['-fopenacc', '-DACC_DEVICE_TYPE_nvidia=1', '-DACC_MEM_SHARED=0'] if openacc else ['-fopenmp']
    if not any(word.startswith('-O') for word in test['options']):
        words.append('-O2')
    words += test['options'] + [path] + test['sources'] + ['-o', program, '-lm']
    done = subprocess.run(words, env=PLAIN, capture_output=True, cwd=FOLDER)
    return program if not done.returncode else None


def run(program, openacc, test):
    """Has it ended as it should, and did it launch a kernel? The words on standard error, if it hasn't."""
    variables = dict(PLAIN, **({'ACC_DEVICE_TYPE': 'nvidia'} if openacc else {}), **test['variables'])
    gpu = os.environ.get('ONCHIP_GPU', 'rtx2060')
    words = [os.environ['ONCHIP'], 'run', '--functional', '--gpu', gpu, '--', program]
    try:
        done = subprocess.run(words, env=variables, capture_output=True, text=True, errors='replace', timeout=120,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False, False, 'no end after 120 s'
    launched = 'executed without time' in done.stderr
    right = (done.returncode != 0) == test['fails'] or test['may fail']
    return right, launched, f'exit status {done.returncode}: {done.stderr[:300]}'


def main():
    os.makedirs(FOLDER, exist_ok=True)
    unpack()
    sums = {}
    for number, (folder, path, compiler) in enumerate(tests()):
        test = read(path) if number % EVERY == FIRST else None
        if not test:
            continue
        program = build(folder, path, compiler, test)
        what = 'not compiled'
        if program:
            right, launched, words = run(program, 'oacc' in folder, test)
            what = 'failed' if not right else 'right' if launched else 'right, without a kernel'
            if not right:
                print(f'{folder}/{os.path.basename(path)}: {words}', flush=True)
        sums[what] = sums.get(what, 0) + 1
    print(', '.join(f'{count} {what}' for what, count in sorted(sums.items())))
    return 'failed' in sums


sys.exit(main())
