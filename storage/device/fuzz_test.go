package device

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// fuzzedAt is when the host hears of what is fuzzed.
var fuzzedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// FuzzHeartbeat keeps of any heartbeat known words and counts alone (LC-07.4).
func FuzzHeartbeat(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"agent_version":"1.0\u0000/home/me","status":"healthy","records_pending":-1}`,
		`{"outbox":{"pending":-3,"oldest_pending_at":"2099-01-01T00:00:00Z","lifecycle_state":"/home/me"}}`,
		`{"last_error":{"kind":"dead_letter_backlog","top_dead_letter_classes":[{"count":-1,"error_class":"/home/me/.token"},{"error_class":"http_500"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	now := fuzzedAt
	src := &tables.SourceJoined{SourceRow: tables.SourceRow{ID: "src", Connector: "demo"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		var h device.Heartbeat
		if json.Unmarshal(text, &h) != nil {
			return
		}
		kept := keptHeartbeat(h, src, now)
		once, err := tables.EncodeJSON(kept)
		if err != nil {
			t.Fatal(err)
		}
		var back device.Heartbeat
		if err := json.Unmarshal([]byte(once), &back); err != nil {
			t.Fatal(err)
		}
		if again, err := tables.EncodeJSON(keptHeartbeat(back, src, now)); err != nil || again != once {
			t.Fatalf("%s: got %s, %v, want it as it was", once, again, err)
		}
		if o := kept.Outbox; o != nil && (o.Pending < 0 || o.DeadLetter < 0 || o.OldestPendingAt != nil && o.OldestPendingAt.After(now)) {
			t.Fatalf("got %s, want no negative count and no time to come", once)
		}
		if e := kept.LastError; e != nil {
			for _, c := range e.Classes {
				if c.Count < 0 || errorClass(c.Class) != c.Class {
					t.Fatalf("got %+v, want a count and a class that can be kept", c)
				}
			}
		}
		_ = evidence.StoredSource(src, &kept)
	})
}

// FuzzRunCommit reads the end of a run from anywhere.
func FuzzRunCommit(f *testing.F) {
	f.Add([]byte(`{"commit_id":"c","run_id":"r","state_delta":{"a":{"x":1}},"outcome":{"status":"succeeded","collection_mode":"incremental","finished_at":"2026-01-01T00:00:00Z","known_gaps":[{"stream":"a"},1]}}`))
	f.Add([]byte(`{"commit_id":"c","run_id":"r","outcome":{"status":"failed","collection_mode":"backfill","error":null,"withheld":[],"finished_at":"9999-12-31T23:59:59Z"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c device.RunCommit
		if json.Unmarshal(text, &c) != nil {
			return
		}
		o, err := OutcomeOf(&c, strings.Repeat("0", 64))
		if err != nil {
			return
		}
		if _, err := run.OutcomeRow(o); err != nil {
			t.Fatal(err)
		}
		if o.Status != tables.StatusSucceeded && len(o.Checkpoints) > 0 {
			t.Fatal("a run that did not succeed moves cursors")
		}
		if us, ok := tables.Earlier(o.EndedAt, fuzzedAt); !ok || us > db.Micros(fuzzedAt) {
			t.Fatalf("got an end at %v, want one that is not to come", o.EndedAt)
		}
		if kept := gapsOf(o.KnownGaps, map[string]bool{"a": true}); len(o.KnownGaps) > 0 && !json.Valid(kept) {
			t.Fatalf("got %s, want JSON", kept)
		}
	})
}

// A label is short, printable and text, whatever it is made of.
func FuzzLabel(f *testing.F) {
	f.Add("laptop")
	f.Add("a\x1b[31m\xff\u202e" + string(make([]byte, 100)))
	f.Fuzz(func(t *testing.T, s string) {
		l := labelOf(s)
		if len(l) > maxDeviceLabel || l != "" && !isName(l) || labelOf(l) != l {
			t.Fatalf("got %q, want a short name that stays as it is", l)
		}
		if n := connectionNameOf(s); n != "" && (n[0] == '.' || connectionNameOf(n) != n) {
			t.Fatalf("got %q, want a name that begins with no dot and stays as it is", n)
		}
	})
}
