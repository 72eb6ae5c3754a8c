#!/bin/sh
# The race detector over the packages that are named: .ci/race.sh [FLAG...] PACKAGE...
#
# Everything is watched but the insides of two dependencies, which would take most
# of the time and have nothing to find: the C of SQLite and of its library, whose
# state lies outside Go's memory, where the detector sees nothing; and the passes
# of the WebAssembly compiler, where a goroutine works on what is its own. SQLite's
# driver, the engine that shares those passes out, its instances and their memory
# stay watched, and so does every use of them.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
sqlite=modernc.org
wasm=github.com/tetratelabs/wazero/internal
unwatched=
for p in $sqlite/sqlite/lib $sqlite/libc/... $sqlite/memory $sqlite/mathutil \
  $wasm/leb128 $wasm/wasm/binary $wasm/engine/wazevo/wazevoapi \
  $wasm/engine/wazevo/frontend $wasm/engine/wazevo/ssa $wasm/engine/wazevo/backend/...; do
  unwatched="$unwatched -gcflags=$p=-race=false"
done
export CGO_ENABLED=1
exec $GO test -race $unwatched "$@"
