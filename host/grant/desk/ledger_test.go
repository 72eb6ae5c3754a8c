package desk

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// RD-56.2: reads are kept behind their answers, all of them once the ledger ends; while the
// store takes nothing they wait, as many as there is room for.
func TestLedgerKeepsReads(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	open := func() *storage.Store {
		s, err := storage.Open(t.Context(), storage.Options{Path: path, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var log bytes.Buffer
	l := &Ledger{Store: open(), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	read := &read.Disclosure{At: time.Now(), RequestID: "req", Caller: &read.Caller{Grant: "grt", Client: "c", Token: "gtk"}, Records: map[string]int64{"issues": 2}, Bytes: 7, Status: 200}
	another := *read.Caller
	another.Grant = "other"
	read2 := *read
	read2.Bytes, read2.Records, read2.Caller = 5, nil, &another
	want := func(reads int64) {
		t.Helper()
		all, err := l.Store.Disclosed(t.Context(), "grt")
		if err != nil || len(all) != 1 || all[0].Reads != reads || all[0].Records != 2*reads {
			t.Errorf("got %+v, %v, want %d reads of 2 records", all, err, reads)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); l.Run(ctx) }()
	for range 2500 {
		l.Note(read)
	}
	stop()
	<-ended
	want(2500)
	l.Note(&read2)
	for grant, want := range map[string]int64{"grt": 2500 * 7, "other": 5, "none": 0} { // of the store, and of what waits
		if got, err := l.Spent(t.Context(), grant, read.At.Add(-time.Hour)); got != want || err != nil {
			t.Errorf("%s: got %d bytes, %v, want %d", grant, got, err, want)
		}
	}

	// A ledger keeps what was noted before it ran, however soon it ends.
	l.Note(read)
	l.Run(ctx)
	want(2501)

	if err := l.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for range mostWaiting + 7 {
		l.Note(read)
	}
	l.keep(t.Context())
	if len(l.wait) != mostWaiting || !strings.Contains(log.String(), "reads=7") {
		t.Errorf("got %d that wait and the log %s, want %d and a word of the 7 lost", len(l.wait), log.String(), mostWaiting)
	}
	l.Store = open()
	l.keep(t.Context())
	want(2501 + mostWaiting)
	if err := l.Store.Close(); err != nil {
		t.Fatal(err)
	}
}

// A read that the store never takes keeps no other waiting.
func TestLedgerDropsWhatIsNeverKept(t *testing.T) {
	t.Parallel()
	s, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var log bytes.Buffer
	l := &Ledger{Store: s, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	for i := range 100 {
		d := &read.Disclosure{At: time.Now(), RequestID: "good", Caller: &read.Caller{Grant: "grt"}, Records: map[string]int64{"issues": 2}, Status: 200}
		if i%40 == 7 {
			d.RequestID, d.Parameters = "bad", []string{"filter[\x00]"}
		}
		l.Note(d)
	}
	l.keep(t.Context())
	all, err := s.Disclosed(t.Context(), "grt")
	if err != nil || len(all) != 1 || all[0].Reads != 97 || len(l.wait) != 0 {
		t.Errorf("got %+v, %v and %d that wait, want 97 reads and none", all, err, len(l.wait))
	}
	if n := strings.Count(log.String(), "request=bad"); n != 3 {
		t.Errorf("got the log %s, want a word of each of the 3 that were dropped", log.String())
	}
}

// BenchmarkNote is what a read pays for being counted.
func BenchmarkNote(b *testing.B) {
	l := &Ledger{}
	read := &read.Disclosure{Caller: &read.Caller{}, Records: map[string]int64{"issues": 2}}
	for b.Loop() {
		l.Note(read)
		if len(l.wait) == keptAtOnce {
			l.wait = l.wait[:0]
		}
	}
}
