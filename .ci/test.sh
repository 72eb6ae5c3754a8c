#!/bin/sh
# Everything that decides whether a change lands. Needs Go, git and make; a C
# compiler besides for the race detector, which is left out where there is none.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
step() { printf '\n== %s\n' "$*"; }

step "format"
bad=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
if [ -n "$bad" ]; then
  echo "not gofmt-clean:"
  echo "$bad"
  exit 1
fi

step "build: host, plugins, other systems"
make --no-print-directory build plugins cross

step "vet"
$GO vet ./...

step "tests"
$GO test -timeout 15m ./...

step "contract suite on every plugin"
make --no-print-directory contract

step "race detector"
if command -v "${CC:-cc}" >/dev/null 2>&1; then
  CGO_ENABLED=1 $GO test -race -short -timeout 15m ./abi/... ./host/... ./storage/... ./sdk/...
else
  echo "left out: no C compiler here"
fi

step "lint"
sh .ci/lint.sh

step "known vulnerabilities"
sh .ci/vuln.sh
