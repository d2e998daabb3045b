#!/usr/bin/env bash
# The tool must run on another machine with the same or a newer C library: it may need that library's parts, and no other.
set -euo pipefail
tool=$1
needed=$(objdump -p "$tool" | awk '$1 == "NEEDED" {print $2}')
foreign=$(grep -vE '^(libc|libm|libpthread|libdl|librt|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$' <<<"$needed" || true)
if [[ -n $foreign ]]; then
  echo "$tool needs shared libraries that another machine may not have: $foreign"
  exit 1
fi
if objdump -p "$tool" | grep -E 'R(UN)?PATH'; then
  echo "$tool looks for libraries in a folder of this machine"
  exit 1
fi
