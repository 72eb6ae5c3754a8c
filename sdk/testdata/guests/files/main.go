// Command files is a guest that reads a granted folder line by line.
package main

import (
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

type connector struct{}

func (connector) Manifest() string {
	return `{"connector_key":"files","runtime_requirements":{"bindings":{"filesystem":{"required":true}}},
		"streams":[{"name":"lines","primary_key":["id"],"semantics":"append_only"}]}`
}

func (connector) Collect(h *sdk.Host) error {
	root, ok := h.Root("files")
	if !ok {
		return &sdk.Failure{Code: "files_root_missing", Message: "the folder was not granted"}
	}
	files := filecursor.ParseFiles(h.Cursor("lines").Get("files"))
	var sc filecursor.Scanner
	var doc jsonvalue.Doc
	r := h.Record("lines")
	return fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if _, err := sc.Open(root, path, files.Cursor(path)); err != nil {
			return err
		}
		for sc.Next() {
			v, err := doc.Parse(sc.Line())
			if err != nil {
				continue
			}
			r.Value("id", v.Get("id"))
			r.Value("message", v.Get("message"))
			if err := r.Emit(); err != nil {
				return err
			}
		}
		res, err := sc.Close()
		if err != nil {
			return err
		}
		files.Set(path, res.Cursor, nil)
		cursor := append([]byte(nil), `{"files":`...)
		return h.Slice("lines", path, append(files.AppendJSON(cursor), '}'))
	})
}

func init() { sdk.Run(connector{}) }

func main() {}
