package hostile

import (
	"context"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	parser "github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// door is a host that has nothing but the boundary behind it: a run has no way
// to narrow a stream's fields yet.
type door struct {
	gate    *boundary.Gate
	start   string
	stored  int
	refused error
}

// Emit implements plugin.Host.
func (d *door) Emit(p []byte) error {
	d.refused = d.gate.Records(p, func(*boundary.Record) error { d.stored++; return nil })
	return d.refused
}

// Message implements plugin.Host.
func (*door) Message(string, []byte) error { return nil }

// Log implements plugin.Host.
func (*door) Log(int32, []byte) {}

// Submit implements plugin.Host.
func (d *door) Submit(_ abi.Operation, _ []byte, reply func([]byte)) error {
	reply([]byte(d.start))
	return nil
}

// A record with a field that the scope leaves out ends the run, and is not stored; a
// record within the scope is.
func TestFieldsOutsideScope(t *testing.T) {
	t.Parallel()
	file := rig.Guest(t, "testplugins/guests/scripted")
	for _, mode := range rig.Modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			g, err := rig.Engine(t, mode, plugin.DefaultLimits()).Load(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			described, err := g.Describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m, err := parser.Parse(described)
			if err != nil {
				t.Fatal(err)
			}
			d := &door{start: `{"options":{"script":"emit {\"type\":\"RECORD\",\"stream\":\"notes\",\"key\":\"a\",\"data\":{\"id\":\"a\"},\"emitted_at\":\"2026-01-01T00:00:00Z\"}\nrecords notes 0 1\nfinish"}}`}
			scope := abi.Scope{Streams: []abi.StreamScope{{Name: "notes", Fields: []string{"id", "text"}}}}
			if d.gate, err = boundary.New(m, scope); err != nil {
				t.Fatal(err)
			}
			exit := g.Collect(context.Background(), plugin.Grant{Bindings: map[string]bool{abi.BindingFilesystem: true}}, d)
			if abi.CodeOf(exit.Err) != abi.CodeFieldOutOfScope || exit.Returned || d.stored != 1 {
				t.Errorf("%+v, %d stored, refused with %v, want abi.CodeOf(exit.Err) = %v, not exit.Returned and d.stored = 1", exit, d.stored, d.refused, abi.CodeFieldOutOfScope)
			}
		})
	}
}
