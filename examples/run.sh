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

# An app, here a model, reads what it was granted: roles and times of the messages, and no text.
request=$($host --data-dir "$data" --quiet grants ask 'A model')
revision=$($host --data-dir "$data" grants review "$request" --connection claude_code --stream messages=role,timestamp | sed -n 's/.* --revision \([0-9a-f]*\) .*/\1/p')
PDPP_GRANT_TOKEN=$($host --data-dir "$data" --quiet grants approve "$request" --revision "$revision")
export PDPP_GRANT_TOKEN
row=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"messages","limit":1}}}' |
	$host --data-dir "$data" mcp | sed -n 's/.*"structuredContent":.*"connector_key":"claude_code","data":\({[^}]*}\).*/\1/p')
test -n "$row"
printf '\nThe newest of them as a model gets it, by a grant of role and timestamp (what the schema requires comes with it):\n%s\n' "$row"

cat <<END

To collect your own Claude Code history instead (read-only, nothing leaves this machine):

  mkdir -p ~/.local/share/pdpp/plugins && chmod 700 ~/.local/share/pdpp ~/.local/share/pdpp/plugins
  install -m 600 plugins/*.wasm ~/.local/share/pdpp/plugins/
  bin/pdpp-host run claude_code

END
