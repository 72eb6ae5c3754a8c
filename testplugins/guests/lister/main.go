//go:build wasip1

package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

// page is how many objects are emitted between two slices.
const page = 200

func main() {}

func init() { sdk.Run(connector{}) }

type connector struct{}

func (connector) Manifest() string { return manifest }

// object is one object of the list: its id and what is recorded of it.
type object struct {
	ID   string `json:"id"`
	Data string `json:"data"`
}

// place is how far a part is enumerated.
type place struct {
	BegunBy string `json:"begun_by"`
	Next    string `json:"next"` // the last id that was emitted
}

func (connector) Collect(h *sdk.Host) error {
	root, ok := h.Root("lister")
	if !ok {
		return errors.New("the folder was not opened")
	}
	text, err := fs.ReadFile(root, "list.json")
	if err != nil {
		return err
	}
	var list map[string]map[string][]object // by stream and part
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for stream, parts := range map[string][]string{"things": {""}, "shelved": {"p", "q"}} {
		places := map[string]place{}
		if kept := h.Cursor(stream); kept.Exists() {
			if err := json.Unmarshal(kept.Raw(), &places); err != nil {
				return err
			}
		}
		for _, part := range parts {
			if err := enumerate(h, stream, part, list[stream][part], places); err != nil {
				return err
			}
		}
		if err := h.State(stream, encoded(places)); err != nil {
			return err
		}
	}
	return nil
}

// enumerate lists one part from its place on.
func enumerate(h *sdk.Host, stream, part string, objects []object, places map[string]place) error {
	at := places[part]
	e, err := h.Enumerate(stream, part, at.BegunBy)
	if err != nil {
		return err
	}
	at.BegunBy = e.BegunBy()
	n := 0
	for _, o := range objects {
		if o.ID <= at.Next {
			continue
		}
		if err := h.EmitRaw(stream, o.ID, encoded(map[string]string{"id": o.ID, "data": o.Data})); err != nil {
			return err
		}
		at.Next = o.ID
		if n++; n%page == 0 {
			places[part] = at
			if err := h.Slice(stream, part+o.ID, encoded(places)); err != nil {
				return err
			}
		}
	}
	delete(places, part)
	return e.Whole()
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts always encode
	}
	return b
}
