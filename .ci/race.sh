#!/bin/sh
# The race detector over the packages that are named: .ci/race.sh [FLAG...] PACKAGE...
#
# Everything is watched but the insides of two dependencies, which would take most
# of the time and have nothing to find: the C of SQLite, whose state lies outside
# Go's memory, where the detector sees nothing; and passes of the WebAssembly
# compiler, where a goroutine works on what is its own. SQLite's driver and C
# library, the engine that shares those passes out, its instances and their memory
# stay watched, and so does every use of them.
#
# A package may be left out only if it brings along no generic function of a package
# that is watched: the linker keeps one copy of each, and where it keeps an unwatched
# one of sync.Map or of atomic.Pointer, whatever synchronises by it looks like a race.
# So each is looked at first.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
sqlite=modernc.org
wasm=github.com/tetratelabs/wazero/internal
passes=$wasm/engine/wazevo/backend
unwatched="$sqlite/sqlite/lib $sqlite/memory $sqlite/mathutil $wasm/leb128 $wasm/wasm/binary
  $passes $passes/regalloc $passes/isa/amd64 $passes/isa/arm64"
export CGO_ENABLED=1
# A program under the detector waits a second before it ends, for goroutines that are still at work.
# Tests wait for theirs, and each of a hundred test binaries would wait that second.
export GORACE="atexit_sleep_ms=50 ${GORACE:-}"
# What a compiler's pass may share: the pools and lists of the compiler itself.
own="$wasm/engine/wazevo/"
flags=
for p in $unwatched; do
  flags="$flags -gcflags=$p=-race=false"
done
for p in $unwatched; do
  built=$($GO list -race $flags -export -f '{{.Export}}' "$p")
  symbols=$($GO tool nm "$built")
  shared=$(echo "$symbols" | sed -n 's/^.* T \([^[]*\)\[go\.shape.*/\1/p' |
    { grep -v -e "^$own" -e '^type:' -e '^go\.shape' || true; } | sort -u)
  if [ -n "$shared" ]; then
    echo ".ci/race.sh: $p cannot be left unwatched, it would unwatch for everybody:" $shared >&2
    exit 2
  fi
done
exec $GO test -race $flags "$@"
