package storage

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

func exerciseConnections(t *testing.T, x *exercise) {
	ctx := t.Context()
	c := x.connection("mail")
	x.same(x.connection("mail").ID, c.ID)
	_, err := x.s.EnsureConnection(ctx, "mail", "other")
	x.code(err, abi.CodeConnectionInvalid)
	_, err = x.s.EnsureConnection(ctx, "", "other")
	x.code(err, abi.CodeConnectionInvalid)
	_, err = x.s.Connection(ctx, "nobody")
	x.code(err, abi.CodeConnectionUnknown)

	c.Options, c.Roots = map[string]string{"k": "it's"}, map[string]string{"home": "/ä ö"}
	x.ok(x.s.UpdateConnection(ctx, *c))
	x.ok(x.s.PinPlugin(ctx, c.ID, "feed", []byte(`{"a":"'"}`)))
	for _, by := range []string{"mail", c.ID} {
		got, err := x.s.Connection(ctx, by)
		x.ok(err)
		x.same(got.Options["k"]+got.Roots["home"]+got.PinnedSHA256+string(got.PinnedManifest), `it's/ä öfeed{"a":"'"}`)
		x.same(got.CreatedAt, x.clock.Now().UTC())
	}
	x.code(x.s.PinPlugin(ctx, "none", "x", nil), abi.CodeConnectionUnknown)
	x.code(x.s.UpdateConnection(ctx, Connection{ID: "none"}), abi.CodeConnectionUnknown)
	x.connection("aaa")
	all, err := x.s.Connections(ctx)
	x.ok(err)
	x.same(all[0].Name+" "+all[1].Name, "aaa mail")
	_, err = x.s.EnsureConnection(ctx, "zoo", "aardvark")
	x.ok(err)
	for _, by := range []struct {
		q    ConnectionKeys
		want string
	}{
		{ConnectionKeys{}, "aaa mail zoo"},
		{ConnectionKeys{ByConnector: true}, "zoo aaa mail"},
		{ConnectionKeys{ByConnector: true, After: ConnectionKey{Name: "zoo", Connector: "aardvark"}, Limit: 1}, "aaa"},
		{ConnectionKeys{After: ConnectionKey{Name: "aaa"}}, "mail zoo"},
		{ConnectionKeys{Connector: c.Connector, Limit: 1}, "aaa"},
		{ConnectionKeys{IDs: []string{c.ID, "con_gone"}}, "mail"},
		{ConnectionKeys{IDs: []string{}}, ""},
	} {
		keys, err := x.s.ConnectionKeys(ctx, by.q)
		x.ok(err)
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = k.Name
		}
		x.same(strings.Join(names, " "), by.want)
	}
	keys, err := x.s.ConnectionKeys(ctx, ConnectionKeys{IDs: []string{c.ID}})
	x.ok(err)
	x.same(keys, []ConnectionKey{{ID: c.ID, Name: "mail", Connector: c.Connector}})
}

func exerciseRemove(t *testing.T, x *exercise) {
	ctx := t.Context()
	for _, name := range []string{"keep", "drop"} {
		w := x.begin(name)
		for part := range 3 {
			b := w.NewBatch()
			for i := range 4000 {
				b.Add(0, fmt.Appendf(nil, "k%d", part*4000+i), []byte("{}"), []byte("t"), i == 0)
			}
			x.ok(w.Write(ctx, b))
		}
		x.ok(w.Stage(ctx, "a", []byte("1"), ""))
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "k"}))
		x.ok(w.PutCoverage(ctx, Coverage{Stream: "a", StateStream: "b"}))
		x.ok(w.Event(ctx, Event{Type: "x"}))
		x.ok(w.Flush(ctx))
		x.code(x.s.RemoveConnection(ctx, name, nil), abi.CodeConnectionBusy)
		x.finish(w, StateCommit{Stream: "a", Cursor: []byte("2")})
	}
	late := x.begin("drop")
	x.clock.forward(2 * time.Minute) // its lease has expired
	x.ok(x.s.RemoveConnection(ctx, "drop", nil))
	x.code(late.Flush(ctx), abi.CodeFenced)
	x.code(x.s.RemoveConnection(ctx, "drop", nil), abi.CodeConnectionUnknown)
	st, err := x.s.Stats(ctx)
	x.ok(err)
	x.same([]int64{st.Connections, st.Records, st.Tombstones, st.Runs}, []int64{1, 11997, 3, 1})
	// A later connection of that name has nothing of the old one.
	w := x.begin("drop")
	x.same(len(w.State()), 0)
	x.same(w.Epoch(), 1)
	x.finish(w)
	x.same(x.list("drop", "a"), "")
	r, err := x.s.Check(ctx)
	x.ok(err)
	x.same(r.Records, 12000)
}

func exerciseRecords(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.put(w, 0, "k1=1", "k2=2", "k1=1", "k2=3", "-k3", "-k3")
	x.ok(w.Flush(ctx))
	x.same(w.Counts(), []StreamCounts{{New: 2, Changed: 1, Unchanged: 2, Deleted: 1}, {}})
	x.same(x.list("c", "a"), "1:k1=1 3:k2=3 4:-k3")
	x.finish(w)

	w = x.begin("c")
	x.put(w, 0, "k1=1", "-k2", "k3=5", "k4=4") // unchanged, deleted, revived, new
	x.put(w, 1, "k1=1")                        // another stream's key
	x.ok(w.Flush(ctx))
	x.same(w.Counts(), []StreamCounts{{New: 1, Changed: 1, Unchanged: 1, Deleted: 1}, {New: 1}})
	x.same(x.list("c", "a"), "1:k1=1 5:-k2 6:k3=5 7:k4=4")
	streams, err := x.s.Streams(ctx, "c")
	x.ok(err)
	x.same(streams, []StreamInfo{{Name: "a", Live: 3, Deleted: 1, LastSeq: 7}, {Name: "b", Live: 1, Deleted: 0, LastSeq: 8}})
	x.finish(w)
	r, err := x.s.Run(ctx, "run2")
	x.ok(err)
	x.same(r.Counts["a"], StreamCounts{New: 1, Changed: 1, Unchanged: 1, Deleted: 1})

	// Another connection's records are other records; the sequence is the store's.
	w = x.begin("d")
	x.put(w, 0, "k1=1")
	x.finish(w)
	x.same(x.list("d", "a"), "9:k1=1")
}

func exerciseReads(t *testing.T, x *exercise) {
	ctx := t.Context()
	for _, name := range []string{"c", "d"} {
		w := x.begin(name)
		b := w.NewBatch()
		for i := range 1234 {
			b.Add(i%2, fmt.Appendf(nil, "k%04d", i), fmt.Appendf(nil, "%d", i), []byte("t"), i%100 == 0)
		}
		x.ok(w.Write(ctx, b))
		x.finish(w)
	}
	page, err := x.s.Records(ctx, "c", "a", RecordQuery{Limit: 2})
	x.ok(err)
	x.same(show(page[0])+" "+show(page[1]), "3:k0002=2 5:k0004=4")
	page, err = x.s.Records(ctx, "c", "a", RecordQuery{AfterKey: "k0098", Limit: 2, Deleted: true})
	x.ok(err)
	x.same(show(page[0])+" "+show(page[1]), "101:-k0100 103:k0102=102")
	page, err = x.s.Records(ctx, "c", "a", RecordQuery{})
	x.ok(err)
	x.same(len(page), tables.DefaultPage)

	n := 0
	x.ok(x.s.EachRecord(ctx, "c", "a", func(r Record) error {
		x.same(r.Stream+r.RunID, "arun1")
		n++
		return nil
	}))
	x.same(n, 617)
	stop := errors.New("stop")
	if err := x.s.EachRecord(ctx, "c", "a", func(Record) error { return stop }); !errors.Is(err, stop) {
		t.Fatal(err)
	}

	one, err := x.s.Record(ctx, "c", "b", "k0003")
	x.ok(err)
	x.same(show(*one), "4:k0003=3")
	_, err = x.s.Record(ctx, "c", "a", "k0003")
	x.code(err, abi.CodeRecordUnknown)
	_, err = x.s.Records(ctx, "c", "none", RecordQuery{})
	x.code(err, abi.CodeStreamUnknown)
	_, err = x.s.Records(ctx, "none", "a", RecordQuery{})
	x.code(err, abi.CodeConnectionUnknown)

	// Changes are each connection's own, in order, without holes or repeats.
	for _, name := range []string{"c", "d"} {
		var since int64
		seen := map[string]bool{}
		for {
			changes, err := x.s.Changes(ctx, name, since, 100)
			x.ok(err)
			if len(changes) == 0 {
				break
			}
			for _, r := range changes {
				if r.Seq <= since || seen[r.Key] {
					t.Fatalf("got change %d of key %s after %d, want a later one, each key once", r.Seq, r.Key, since)
				}
				since, seen[r.Key] = r.Seq, true
			}
		}
		x.same(len(seen), 1234)
	}
}

// Keys as long as the boundary lets through, which no compression makes shorter, fit into
// every index.
func exerciseLongKeys(t *testing.T, x *exercise) {
	ctx := t.Context()
	var noise []byte
	for i := range abi.MaxKeyBytes / sha256.Size {
		sum := sha256.Sum256(strconv.AppendInt(nil, int64(i), 10))
		noise = append(noise, sum[:]...)
	}
	key := base64.RawURLEncoding.EncodeToString(noise)[:abi.MaxKeyBytes]
	w := x.begin("c")
	x.put(w, 0, key+"=1")
	x.ok(w.PutGap(ctx, Gap{Stream: key[:256], ParentStream: key[256:512], RecordKey: key, Reason: "rate_limited"}))
	x.finish(w)
	x.same(x.list("c", "a"), "1:"+key+"=1")
	gaps, err := x.s.Gaps(ctx, "c", GapQuery{})
	x.ok(err)
	x.same(len(gaps), 1)
}
