// Command archive is a guest that reads the archives of a granted folder.
package main

import (
	"io"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

type connector struct{}

func (connector) Manifest() string {
	return `{"connector_key":"archive","runtime_requirements":{"bindings":{"filesystem":{"required":true}}},
		"streams":[{"name":"entries","primary_key":["id"],"semantics":"append_only"}]}`
}

func (connector) Collect(h *sdk.Host) error {
	root, ok := h.Root("archive")
	if !ok {
		return &sdk.Failure{Code: "archive_root_missing", Message: "the folder was not granted"}
	}
	names, err := fs.ReadDir(root, ".")
	if err != nil {
		return err
	}
	r := h.Record("entries")
	for _, name := range names {
		a, err := archive.Open(root, name.Name(), archive.Limits{})
		if err != nil {
			return err
		}
		for a.Next() {
			n, err := io.Copy(io.Discard, a)
			if err != nil {
				continue
			}
			r.String("id", a.Entry().Name)
			r.Int("bytes", n)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		if err := a.Err(); err != nil {
			return err
		}
		a.Close()
	}
	return nil
}

func init() { sdk.Run(connector{}) }

func main() {}
