#!/bin/sh
# Runs every linter that .golangci.yml does not exempt, over the host's code and
# over the guests'. Installs the pinned linter below bin/ the first time.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
version=v2.15.0
lint=bin/golangci-lint-$version
if [ ! -x "$lint" ]; then
  GOBIN="$PWD/bin" CGO_ENABLED=0 $GO install -trimpath -ldflags='-s -w' "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version"
  mv bin/golangci-lint "$lint"
fi
"$lint" run ./...
GOOS=wasip1 GOARCH=wasm "$lint" run ./sdk/... ./plugins/... ./testplugins/guests/...
