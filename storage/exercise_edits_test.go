package storage

import (
	"maps"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
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

// exerciseRevoked: RD-55, a connection has another name, which no other one has, and its owner
// takes back what they accepted for it and accepts it again; its manifest and records stay.
func exerciseRevoked(t *testing.T, x *exercise) {
	ctx := t.Context()
	conn, err := x.s.EnsureConnection(ctx, "mine", "github")
	x.ok(err)
	other, err := x.s.EnsureConnection(ctx, "other", "github")
	x.ok(err)
	called := func(name string) error {
		_, err := x.s.KeepConnection(ctx, conn.ID, func(own *Connection) error { own.Name = name; return nil })
		return err
	}
	for _, taken := range []string{"other", other.ID, ""} {
		x.code(called(taken), abi.CodeConnectionInvalid)
	}
	x.ok(called("job"))
	now, err := x.s.Connection(ctx, "job")
	x.ok(err)
	x.same([]any{now.ID, now.Revision}, []any{conn.ID, int64(1)})
	_, err = x.s.Connection(ctx, "mine")
	x.code(err, abi.CodeConnectionUnknown)
	page, err := x.s.EvidenceChosen(ctx, x.clock.Now(), Choice{Connector: "github"}, "", 9)
	x.ok(err)
	x.same([]any{len(page), page[0].Name}, []any{2, "job"})
	page, err = x.s.EvidenceChosen(ctx, x.clock.Now(), Choice{Connector: "gitlab"}, "", 9)
	x.ok(err)
	x.same(len(page), 0)

	done, err := x.s.RevokeConnection(ctx, conn.ID)
	x.ok(err)
	x.same(done, false) // nothing was accepted
	manifest := []byte(`{"streams":[{"name":"issues"}]}`)
	x.ok(x.s.PinPlugin(ctx, conn.ID, "aa", manifest, AcceptedItem{Kind: "folder", Name: "~/.ssh"}))
	done, err = x.s.RevokeConnection(ctx, conn.ID)
	x.ok(err)
	now, err = x.s.Connection(ctx, "job")
	x.ok(err)
	x.same([]any{done, now.PinnedSHA256, string(now.PinnedManifest), len(now.Accepted), now.RevokedAt.Equal(x.clock.Now())}, []any{true, "", string(manifest), 0, true})
	e, err := x.s.EvidenceOf(ctx, "job")
	x.ok(err)
	x.same(e.Accepted(), false)
	x.sound()
	x.ok(x.s.PinPlugin(ctx, conn.ID, "bb", manifest))
	now, err = x.s.Connection(ctx, "job")
	x.ok(err)
	x.same([]any{now.PinnedSHA256, now.RevokedAt.IsZero()}, []any{"bb", true})

	x.ok(x.s.PutSchedule(ctx, Schedule{ConnectionID: conn.ID, Mode: "manual"}))
	all, err := x.s.Schedules(ctx, []string{conn.ID, other.ID})
	x.ok(err)
	x.same([]any{len(all), all[conn.ID].Mode}, []any{1, "manual"})
	x.sound()
}
