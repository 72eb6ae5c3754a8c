package storage

import (
	"maps"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/connection"
)

// exerciseEdits: OC-09.3, a connection's revision moves with its options and folders alone,
// and a schedule is replaced only where it is still the one that was read.
func exerciseEdits(t *testing.T, x *exercise) {
	ctx := t.Context()
	conn, err := x.s.EnsureConnection(ctx, "mine", "github")
	x.ok(err)
	keep := func(change func(own *Connection)) int64 {
		t.Helper()
		own, err := x.s.KeepConnection(ctx, conn.ID, func(own *Connection) error { change(own); return nil })
		x.ok(err)
		read, err := x.s.Connection(ctx, "mine")
		x.ok(err)
		x.same(own.Revision, read.Revision)
		return own.Revision
	}
	x.same(keep(func(*Connection) {}), int64(0))
	x.same(keep(func(own *Connection) { own.Options = map[string]string{"a": "1"} }), int64(1))
	x.same(keep(func(own *Connection) { own.Options = maps.Clone(own.Options) }), int64(1))
	x.same(keep(func(own *Connection) { own.ReadRoots = map[string]string{"a": "/b"} }), int64(1)) // as a run does
	x.same(keep(func(own *Connection) { own.Roots = map[string]string{"a": "/b"} }), int64(2))

	first, err := x.s.Schedule(ctx, conn.ID)
	x.ok(err)
	hourly := Schedule{ConnectionID: conn.ID, Mode: "automatic", Every: time.Hour}
	x.ok(x.s.ReplaceSchedule(ctx, &first, hourly))
	x.code(x.s.ReplaceSchedule(ctx, &first, Schedule{ConnectionID: conn.ID, Mode: "manual"}), connection.CodeEdited)
	now, err := x.s.Schedule(ctx, conn.ID)
	x.ok(err)
	x.same(now, hourly)
	x.ok(x.s.ReplaceSchedule(ctx, nil, Schedule{ConnectionID: conn.ID, Mode: "manual"}))
}
