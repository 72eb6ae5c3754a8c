#!/bin/sh
# Collects the bundled example folder into a store of its own below .data/, then
# shows what was stored and the line that collects your own files.
set -eu
cd "$(dirname "$0")/.."
host=bin/pdpp-host
data=.data/example
mkdir -p "$data/plugins"
chmod 700 .data "$data" "$data/plugins"
install -m 600 plugins/*.wasm "$data/plugins/"
# Each time a new store: a module that was rebuilt would not match its pin.
rm -f "$data"/pdpp.sqlite*

$host --data-dir "$data" run claude_code --root claude_code=examples/claude_code --accept --no-input

printf '\nThree of the messages it stored:\n'
$host --data-dir "$data" records list claude_code messages --limit 3

cat <<END

To collect your own Claude Code history instead (read-only, nothing leaves this machine):

  mkdir -p ~/.local/share/pdpp/plugins && chmod 700 ~/.local/share/pdpp ~/.local/share/pdpp/plugins
  install -m 600 plugins/*.wasm ~/.local/share/pdpp/plugins/
  bin/pdpp-host run claude_code

END
