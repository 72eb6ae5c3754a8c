#!/bin/sh
# Looks for known vulnerabilities in what the host links. The advisories come
# from the Go project's database, or from a copy of it in the folder that
# VULNDB names. Where neither can be reached it says so and passes: that is no
# verdict, and a release is made where there is one.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
version=v1.8.0
tool=bin/govulncheck-$version
if [ ! -x "$tool" ]; then
  GOBIN="$PWD/bin" CGO_ENABLED=0 $GO install -trimpath -ldflags='-s -w' "golang.org/x/vuln/cmd/govulncheck@$version"
  mv bin/govulncheck "$tool"
fi
if [ -n "${VULNDB:-}" ]; then
  exec "$tool" -db "file://$VULNDB" ./...
fi
out=$("$tool" ./... 2>&1) && status=0 || status=$?
printf '%s\n' "$out"
case "$out" in
  *"no such host"* | *"connection refused"* | *"dial tcp"* | *"i/o timeout"*)
    echo "left out: the advisory database cannot be reached from here; nothing was judged"
    exit 0
    ;;
esac
exit "$status"
