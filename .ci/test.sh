#!/bin/sh
# Everything that decides whether a change lands. Needs Go, git and make; a C
# compiler besides for the race detector, which is left out where there is none.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
began=$(date +%s)
step() { printf '\n== %s (after %s s)\n' "$*" "$(($(date +%s) - began))"; }

# The flag that make builds with, so that the linters and the tests reuse what it compiled.
GOFLAGS="$($GO env GOFLAGS) -trimpath"
export GOFLAGS

step "format"
bad=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
if [ -n "$bad" ]; then
  echo "not gofmt-clean:"
  echo "$bad"
  exit 1
fi

# Test binaries share the guests that they build and the machine code of those.
PDPP_TEST_BUILT=$(mktemp -d)
export PDPP_TEST_BUILT
# What the tests printed is kept. What failed once and then passed three times is told at the end,
# however that comes: nobody should have to look for it.
kept=.data/ci
rm -rf "$kept"
trap 'rm -rf "$PDPP_TEST_BUILT"; cat "$kept"/*.once 2>/dev/null || :' EXIT
: >"$PDPP_TEST_BUILT/began"

step "build: host, plugins, other systems"
make --no-print-directory build plugins cross

# Before the tests, which take most of the time. The linters have the checks of go vet, but leave out
# what is generated, which is the console's pages.
step "lint"
sh .ci/lint.sh
$GO vet ./host/console/...

# The store's tests start a PostgreSQL of their own. PDPP_TEST_POSTGRES=required makes a
# missing one a failure.
if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null 2>&1 &&
  ! command -v postgres >/dev/null 2>&1; then
  echo "NOT TESTED ON POSTGRESQL: none is installed here (Debian: apt-get install postgresql)" >&2
fi

# Those of the console and of host/browser drive a Chromium. PDPP_TEST_BROWSER=required makes
# a missing one a failure. axe-core comes from npm.
if ! command -v chromium >/dev/null 2>&1 && ! command -v chromium-browser >/dev/null 2>&1 && ! command -v google-chrome >/dev/null 2>&1; then
  echo "NOT TESTED IN A BROWSER: none is installed here (Debian: apt-get install chromium)" >&2
elif ! command -v npm >/dev/null 2>&1; then
  echo "NOT CHECKED WITH AXE-CORE: there is no npm here" >&2
fi

# A browser's window wants a screen. PDPP_TEST_SCREEN=required makes a missing Xvfb a failure.
if ! command -v Xvfb >/dev/null 2>&1; then
  echo "NOT TESTED WITH A WINDOW: there is no Xvfb here (Debian: apt-get install xvfb)" >&2
fi

# testplugins/rig/tree builds connectors by the flags of make: the tests take those that were built above.
find plugins/*.wasm -newer "$PDPP_TEST_BUILT/began" | while read -r module; do
  cp "$module" "$PDPP_TEST_BUILT/plugins-$(basename "$module" .wasm)${TINYGO:-}.wasm"
done

# One package more than there are cores, since a test that waits for a browser or a process needs none,
# and those first that take longest, so that none is left over at the end.
packages="-p $(($(getconf _NPROCESSORS_ONLN) + 1))"

# Never from the test cache: it does not see the guests that tests build.
step "tests"
sh .ci/again.sh "$kept/tests" "$GO test -count=1 -vet=off -timeout 40m $packages" \
  ./testplugins/chain ./cmd/pdpp-host ./testplugins/console ./testplugins/hostile ./storage ./testplugins/crash ./host/browser ./testplugins/sites ./...

step "contract suite on the connectors of files"
make --no-print-directory contract-files BUILT=1

step "contract suite on TinyGo's modules"
if make -s tinygo 2>/dev/null; then
  make --no-print-directory contract TINYGO=1
  make --no-print-directory plugins
else
  echo "left out: no TinyGo that fits"
fi

# The packages that start a goroutine or share memory between goroutines, in their tests or elsewhere:
# the others have no race of their own. `make race` goes over all of them. A change that is refused since
# the machine was slow is lost. So with PDPP_CI_SECONDS, which is how long all of this may take, no group
# of packages begins for which the time that is left may not suffice, and what was not watched is named
# at the end: `make race` is owed then.
step "race detector"
unwatched= groups=0
# watch SECONDS PACKAGE... runs the packages, which take so long on a slow machine.
watch() {
  needs=$1
  shift
  if [ -n "${PDPP_CI_SECONDS:-}" ] && [ $(($(date +%s) - began + needs)) -gt "$PDPP_CI_SECONDS" ]; then
    unwatched="$unwatched $*"
    return
  fi
  groups=$((groups + 1))
  sh .ci/again.sh "$kept/race-$groups" "sh .ci/race.sh -short -vet=off -timeout 40m $packages" "$@"
  excused=$(cat "$kept"/race-*.once 2>/dev/null | wc -l)
  if [ "$excused" -gt 3 ]; then # as in one call of .ci/again.sh
    echo "$excused tests failed once under the race detector"
    exit 1
  fi
}
if command -v "${CC:-cc}" >/dev/null 2>&1; then
  heavy="./host/run ./storage ./host/plugin" windows="./host/collector ./host/browser"
  concurrent=$(git ls-files -co --exclude-standard 'abi/*.go' 'host/*.go' 'storage/*.go' 'sdk/*.go' |
    xargs grep -lE '^[^/]*\bgo (func\(|[a-z][A-Za-z.]*\()|"sync/atomic"|\bchan |sync\.(Mutex|RWMutex|WaitGroup|Map|Cond)' |
    xargs -n 1 dirname | sort -u | sed 's,^,./,')
  for p in $heavy $windows; do concurrent=$(echo "$concurrent" | grep -vx "$p"); done
  # shellcheck disable=SC2086 # each word is a package
  watch 1500 $heavy
  # shellcheck disable=SC2086 # as above
  watch 900 $windows
  echo "$concurrent" | xargs -n 12 echo >"$PDPP_TEST_BUILT/groups"
  while read -r group; do
    # shellcheck disable=SC2086 # as above
    watch 600 $group
  done <"$PDPP_TEST_BUILT/groups"
else
  echo "left out: no C compiler here"
fi

step "known vulnerabilities"
sh .ci/vuln.sh

[ -z "$unwatched" ] || printf '\nNOT WATCHED FOR RACES, since the time did not suffice (make race):%s\n' "$unwatched"
step "done"
