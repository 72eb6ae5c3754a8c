#!/bin/sh
# Builds the AssemblyScript guests from source, into the folder given or this
# one. Their modules are committed, because the tests have to run where there is
# no npm; a test builds them again where there is, and fails when they differ.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
[ -x node_modules/.bin/asc ] || npm ci --no-audit --no-fund --silent
for guest in raw extism; do
  node_modules/.bin/asc "$guest/index.ts" --outFile "$out/$guest.wasm" --optimize --exportStart _initialize \
    --runtime stub --use "abort=$guest/index/abort"
done
