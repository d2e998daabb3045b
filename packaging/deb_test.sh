#!/usr/bin/env bash
# Makes the .deb of a build, installs it in an empty Debian or Ubuntu, uses it there, and removes it.
# usage: packaging/deb_test.sh BUILD. Exit code 77: what it needs is missing here.
# The system is made by mmdebstrap from the packages of this machine's own release, and is never written anywhere.
set -euo pipefail
build=$(cd "${1:?usage: deb_test.sh BUILD}" && pwd)

skip() { printf 'skipped: %s\n' "$*"; exit 77; }
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
for program in mmdebstrap dpkg-deb dpkg-shlibdeps cpack; do
  command -v "$program" >/dev/null || skip "there is no $program"
done
release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
[[ -n $release ]] || skip "/etc/os-release names no release"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cpack --config "$build/CPackConfig.cmake" -B "$scratch/made" >cpack.log 2>&1 || { cat cpack.log; fail "cpack"; }
packages=(made/*.deb)
deb=$(printf '%s\n' made/spress_*.deb) ranks=$(printf '%s\n' made/spress-mpi_*.deb)
[[ -f $deb ]] || fail "cpack made ${packages[*]}"

# field NAME VALUE: a field of the package's control file.
field() { [[ $(dpkg-deb -f "$deb" "$1") == $2 ]] || fail "$1 is '$(dpkg-deb -f "$deb" "$1")', not '$2'"; }
field Package spress
field Section math
field Version '[0-9]*.[0-9]*.[0-9]*'
field Depends '*libc6*'
field Description 'store sparse matrices*'
dpkg-deb -c "$deb" >files
for file in bin/spress share/man/man1/spress.1 share/man/man1/spress-analyze.1 share/doc/spress/copyright \
            share/doc/spress/docs/files.md share/bash-completion/completions/spress share/zsh/site-functions/_spress \
            share/fish/vendor_completions.d/spress.fish; do
  grep -q " \./usr/$file\$" files || fail "the package has no /usr/$file"
done
grep -q '\./usr/include\|\.a$' files && fail "the package of the tool holds parts of the library"

if [[ -f $ranks ]]; then  # a build with MPI
  dpkg-deb -c "$ranks" | grep -q ' \./usr/lib/.*spress/libspress_mpi\.so$' || fail "spress-mpi has no library"
  dpkg-deb -f "$ranks" Depends | grep -q 'spress (= .*libopenmpi' || fail "spress-mpi needs $(dpkg-deb -f "$ranks" Depends)"
  cp "$ranks" ranks.deb
fi

cat >use.sh <<'INSIDE'
set -eu
dpkg -i /spress.deb
cd /root
spress --version
spress generate poisson2d n=30 -o m.mtx
spress analyze m.mtx -q | head -n 1 | grep -qx m
spress encode m.mtx -o m.spress
spress decode m.spress -o again.mtx
cmp m.mtx again.mtx
spress verify m.spress --formats csr,slice-delta -q >/dev/null
bash -c '. /usr/share/bash-completion/completions/spress; COMP_WORDS=(spress ana) COMP_CWORD=1; _spress; test "$COMPREPLY" = analyze'
OMPI_COMM_WORLD_SIZE=2 spress analyze m.mtx -o ranks 2>refused && exit 1
grep -q 'install spress-mpi' refused
if test -e /ranks.deb; then
  dpkg -i /ranks.deb
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpirun --oversubscribe -n 2 spress analyze m.mtx m.spress -o ranks -q >/dev/null
  grep -q '"ranks": 2' ranks/summary.json
  dpkg --purge spress-mpi
fi
dpkg --purge spress
test ! -e /usr/bin/spress
test ! -e /usr/share/doc/spress
echo "the package works"
INSIDE
cp "$deb" spress.deb
# dpkg, not apt: a dependency that a bare system lacks is to be an error. Of spress-mpi, MPI alone is there.
status=0
inside=(spress.deb use.sh) include=()
[[ -f ranks.deb ]] && inside+=(ranks.deb) include=(--include=openmpi-bin,openssh-client)
mmdebstrap --variant=minbase --format=null "${include[@]}" \
  --customize-hook="copy-in ${inside[*]} /" --customize-hook='touch system-is-there' \
  --customize-hook='chroot "$1" sh /use.sh' "$release" /dev/null >mmdebstrap.log 2>&1 || status=$?
if [[ ! -e system-is-there ]]; then
  tail -n 5 mmdebstrap.log
  skip "mmdebstrap could make no $release here (no network, or no right to)"
fi
grep -q '^the package works$' mmdebstrap.log && [[ $status == 0 ]] || { tail -n 40 mmdebstrap.log; fail "in an empty $release"; }
sed -n '/^spress [0-9]/,/^charts/p' mmdebstrap.log
printf 'good: %s, %s bytes, %s installed (kB)\n' "$(basename "$deb")" "$(stat -c %s "$deb")" \
  "$(dpkg-deb -f "$deb" Installed-Size)"
