#!/bin/sh
# Collects from a simulated GitHub on this machine into a store of its own below
# .data/, with a token that is good for nothing else. Nothing leaves the machine.
# After `make build plugins`.
set -eu
cd "$(dirname "$0")/.."
data=.data/service
mkdir -p "$data/plugins"
chmod 700 .data "$data" "$data/plugins"
install -m 600 plugins/github.wasm "$data/plugins/"
rm -f "$data"/pdpp.sqlite* "$data/github.sh"
host="bin/pdpp-host --data-dir $data"

go build -o "$data/providers" ./testplugins/providers
"$data/providers" github --size 5 >"$data/github.sh" &
trap 'kill $!' EXIT
until grep -q '^export GITHUB_TOKEN=' "$data/github.sh" 2>/dev/null; do sleep 1; done
unset GITHUB_PERSONAL_ACCESS_TOKEN # your own stays out of this
. "$data/github.sh"                # its token, and leave to reach its address
url=http://$PDPP_NETWORK_ALLOW_PRIVATE

# Two details a run: the second run fetches what the first one left.
PDPP_GITHUB_MAX_DETAIL_FETCHES_PER_RUN=2 $host run github --set "base_url=$url" --accept --no-input
$host run github --set "base_url=$url" --no-input
$host connections show github
