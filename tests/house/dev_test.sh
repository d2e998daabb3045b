#!/usr/bin/env bash
# The manners of ./dev: help, unknown commands, from any directory, and what it does where packages are missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { echo "FAILED: $*"; exit 1; }

# status EXPECTED COMMAND...: runs it, output in $scratch/out and err.
status() {
  local expected=$1 actual=0
  shift
  "$@" >out 2>err </dev/null || actual=$?
  [[ $actual == "$expected" ]] || { cat out err; fail "$* ended with $actual instead of $expected"; }
}

status 0 "$root/dev"
for command in setup build demo test bench publish arm fuzz format lint; do
  grep -q "^  $command " out || fail "./dev does not list $command"
done
cp out help
for flag in --help -h "lint --help"; do
  # shellcheck disable=SC2086
  status 0 "$root/dev" $flag
  cmp -s out help || fail "./dev $flag does not print the help"
done
grep -q $'\033' help && fail "colours where no terminal is"

status 2 "$root/dev" frobnicate
grep -q "no command 'frobnicate'" err || fail "an unknown command is not named"
[[ ! -s out ]] || fail "an error must leave stdout empty"
status 2 "$root/dev" build too many
status 2 "$root/dev" test --some
status 2 "$root/dev" fuzz soon
grep -q "not 'soon'" err || fail "a bad argument is not named"

# A machine without one package and without root: it is named, with the command that installs it.
mkdir bin
cat >bin/dpkg-query <<'END'
#!/bin/sh
for name in "$@"; do [ "$name" = libzstd-dev ] || echo "$name installed"; done
END
printf '#!/bin/sh\necho 1000\n' >bin/id
printf '#!/bin/sh\nexit 1\n' >bin/sudo
printf '#!/bin/sh\necho "apt-get must not run"; exit 1\n' >bin/apt-get
chmod +x bin/*
PATH=$scratch/bin:$PATH status 2 "$root/dev" build
grep -q "apt-get install -y --no-install-recommends libzstd-dev\$" err || { cat err; fail "the missing package is not named"; }

# As root it is installed, and nothing else.
printf '#!/bin/sh\necho 0\n' >bin/id
printf '#!/bin/sh\necho "$@" >>%q/apt\n[ "$1" != install ]\n' "$scratch" >bin/apt-get
chmod +x bin/*
PATH=$scratch/bin:$PATH status 2 "$root/dev" build
printf 'update\ninstall -y --no-install-recommends libzstd-dev\n' | cmp -s - apt || { cat apt; fail "apt-get was called otherwise"; }
grep -q "could not install: libzstd-dev" err || fail "apt-get's failure is not told"

# Where only MKL is missing and no source has it, setup says where it is.
sed -i 's/libzstd-dev/libmkl-dev/' bin/dpkg-query
printf '#!/bin/sh\nexit 0\n' >bin/apt-get
printf '#!/bin/sh\necho "  Candidate: (none)"\n' >bin/apt-cache
printf '#!/bin/sh\nexit 1\n' >bin/npm
chmod +x bin/*
PATH=$scratch/bin:$PATH status 0 "$root/dev" setup
grep -q "section non-free" err || { cat err; fail "setup does not say how to have MKL"; }
PATH=$scratch/bin:$PATH status 2 "$root/dev" setup now
