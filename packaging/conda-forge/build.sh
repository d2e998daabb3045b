#!/usr/bin/env bash
# Run by conda-build (meta.yaml). NEVER RUN.
set -euo pipefail
cmake -S . -B build -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DSPRESS_STATIC=OFF -DSPRESS_CUDA=OFF \
  -DSPRESS_MKL=OFF -DSPRESS_SCOTCH=OFF -DSPRESS_BUILD_TESTS=OFF
cmake --build build --parallel "${CPU_COUNT:-1}"
cmake --install build --prefix "$PREFIX"
