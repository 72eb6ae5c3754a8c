// Command plain is a guest that reads no files: the smallest connector.
package main

import "github.com/pdpp-host/pdpp-host/sdk"

type connector struct{}

func (connector) Manifest() string {
	return `{"connector_key":"plain","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (connector) Collect(h *sdk.Host) error {
	r := h.Record("notes")
	r.String("id", "a")
	r.Time("at", h.Now())
	if err := r.Emit(); err != nil {
		return err
	}
	if err := h.RequireCredentials(); err != nil {
		return err
	}
	lane := h.Lane("notes", "notes")
	if err := lane.Close(); err != nil {
		return err
	}
	h.Log(sdk.Info, "done")
	if err := h.Progress("one note", 1, 1, "records"); err != nil {
		return err
	}
	return h.Slice("notes", "all", []byte(`{"at":1}`))
}

func init() { sdk.Run(connector{}) }

func main() {}
