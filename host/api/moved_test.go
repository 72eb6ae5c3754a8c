package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// Invariant 13: what an owner has deleted of a device's stays deleted under the key that the device gives it.
func TestADeletedRecordOfADeviceIsGivenAnotherKey(t *testing.T) {
	t.Parallel()
	l, ctx := ready(t), context.Background()
	week := func(id string) string {
		return `{"stream":"tops","record_key":"[\"` + id + `\",\"week\"]","data":{"id":"` + id + `","range":"week"},"emitted_at":"2026-03-01T10:00:00Z"}`
	}
	l.must(http.StatusCreated, l.ingest(l.batch("run_1", 1, note("a", "one"), week("t"))), nil)
	conn, err := l.store.Connection(ctx, l.ConnectorInstanceID)
	if err != nil {
		t.Fatal(err)
	}
	for stream, key := range map[string]string{"notes": "a", "tops": `["t","week"]`} {
		if err := l.store.EraseRecord(ctx, conn.Name, stream, key); err != nil {
			t.Fatal(err)
		}
	}
	moved := func(record, from string) string { return strings.Replace(record, "{", `{"moved_from":`+from+`,`, 1) }
	var taken device.BatchAnswer
	l.must(http.StatusCreated, l.ingest(l.batch("run_1", 2, moved(note("b", "one"), `"a"`), moved(week("u"), `"[\"t\",\"week\"]"`))), &taken)
	if taken.Accepted != 2 {
		t.Errorf("accepted %d, want the 2 records of the batch: its collector believes no other answer", taken.Accepted)
	}
	for stream, key := range map[string]string{"notes": "b", "tops": `["u","week"]`} {
		if erased, err := l.store.IsErased(ctx, conn.ID, stream, key); err != nil || !erased {
			t.Errorf("%s: got %v, %v, want it deleted", stream, erased, err)
		}
	}
	gone := `{"stream":"notes","record_key":"a","emitted_at":"","op":"delete"}`
	for _, bad := range []string{
		moved(week("v"), "1"), moved(week("v"), `"\u0000"`), moved(week("v"), `"["`), moved(week("v"), `"[ \"t\",\"week\"]"`), moved(week("v"), `""`), moved(note("v", "one"), "null"),
		moved(note("v", "one"), `""`), moved(note("v", "one"), `"v"`), moved(gone, `"c"`), moved(gone, `""`),
	} {
		l.refuses(http.StatusUnprocessableEntity, device.CodeRecordsRejected, l.ingest(l.batch("run_1", 3, bad)))
	}
}
