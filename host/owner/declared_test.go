package owner_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// A stream that is declared, and of which no record ever came, is read as one without records, as in an export of a whole
// connection. One that is not declared is not known.
func TestADeclaredStreamWithoutRecords(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o := served.Owner(t, t.TempDir(), nil)
	t.Cleanup(func() { _ = o.Close() })
	store, err := o.Store(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const manifest = `{"connector_id":"https://example.org/c","connector_key":"c","display_name":"C","version":"1.0.0","protocol_version":"0.1.0","streams":[` +
		`{"name":"notes","semantics":"mutable_state","primary_key":["id"],"schema":{"properties":{"id":{"type":"string"}}}}]}`
	conn, err := store.EnsureConnection(ctx, "mine", "c")
	if err == nil {
		err = store.PinPlugin(ctx, conn.ID, strings.Repeat("a", 64), []byte(manifest))
	}
	if err != nil {
		t.Fatal(err)
	}
	notes, err := o.OpenStream(ctx, "mine", "notes")
	if err != nil {
		t.Fatal(err)
	}
	if page, err := notes.Page(ctx, owner.RecordQuery{Limit: 10}); err != nil || len(page) != 0 {
		t.Errorf("a page: got %v, %v, want no record", page, err)
	}
	if err := notes.Each(ctx, func(owner.Record) error { t.Error("got a record, want none"); return nil }); err != nil {
		t.Errorf("each record: got %v, want none", err)
	}
	if _, err := o.OpenStream(ctx, "mine", "other"); abi.CodeOf(err) != abi.CodeStreamUnknown {
		t.Errorf("another stream: got %v, want %s", err, abi.CodeStreamUnknown)
	}
}
