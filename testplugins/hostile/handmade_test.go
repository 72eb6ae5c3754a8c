package hostile

import (
	"context"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly"
)

// manifest belongs to the handmade guests.
const manifest = `{"connector_id":"https://pdpp-host.example/connectors/handmade","connector_key":"handmade","version":"0.1.0",` +
	`"protocol_version":"0.1.0","display_name":"Handmade",` + streams + `}`

const streams = `"streams":[{"name":"notes","primary_key":["id"],"semantics":"append_only","schema":{"type":"object","properties":{"id":{"type":"string"}}}}]`

// handmade is an honest module except for its collect.
func handmade(collect []byte, own ...assembly.Func) func() *plugin.File {
	return func() *plugin.File {
		m := assembly.Connector(manifest, collect)
		m.Funcs = append(m.Funcs, own...)
		return m.File("handmade")
	}
}

// spoiled is an honest module after change.
func spoiled(change func(*assembly.Module)) func() *plugin.File {
	return func() *plugin.File {
		m := assembly.Connector(manifest, nil)
		change(m)
		return m.File("handmade")
	}
}

// claims is an honest module with another manifest.
func claims(text string) func() *plugin.File {
	return func() *plugin.File { return assembly.Connector(text, nil).File("handmade") }
}

func raw(b ...byte) func() *plugin.File {
	return func() *plugin.File { return plugin.FromBytes("handmade", b) }
}

// with replaces a part of the manifest.
func with(part, instead string) string {
	if !strings.Contains(manifest, part) {
		panic("the manifest has no " + part)
	}
	return strings.Replace(manifest, part, instead, 1)
}

const question = `{"type":"INTERACTION","request_id":"q","kind":"manual_action","message":"please"}`

// silent never answers, as an owner who is away.
type silent struct{}

// Ask implements run.Asker.
func (silent) Ask(ctx context.Context, _ abi.Interaction) (abi.InteractionResponse, error) {
	<-ctx.Done()
	return abi.InteractionResponse{Status: abi.ResponseTimeout}, nil
}
