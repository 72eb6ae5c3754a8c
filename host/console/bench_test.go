package console_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/assets"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/storage"
)

var benchRecords = flag.Int("records", 20_000, "how many records the benchmarks of pages of records have")

// timed reports the times that half and 99 of 100 keep to.
func timed(b *testing.B, do func()) {
	b.Helper()
	do() // warm
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		do()
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// page answers with a page, which has to say a text.
func (b *bed) page(path, want string) (body string) {
	a := b.get(path)
	if a.status != http.StatusOK || !strings.Contains(a.body, want) {
		b.t.Fatalf("%s: got %d, want %d with %q", path, a.status, http.StatusOK, want)
	}
	return a.body
}

func zipped(b *testing.B, body io.Reader) int {
	b.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.Copy(w, body)
	if err != nil || w.Close() != nil {
		b.Fatal(err)
	}
	return out.Len()
}

// BenchmarkOverview answers with the overview of 10,000 connections (OC-14), and says how many
// bytes a browser gets that has never been there: the page, its style and its script.
func BenchmarkOverview(b *testing.B) {
	d := newBed(b)
	for i := range 10_000 {
		if _, err := d.Store.EnsureConnection(b.Context(), fmt.Sprintf("connection-%05d", i), "scripted"); err != nil {
			b.Fatal(err)
		}
	}
	var body string
	timed(b, func() { body = d.page("/", "connection-00049") })
	first := zipped(b, strings.NewReader(body))
	for _, name := range []string{"console.css", "console.js", "icon.svg"} {
		r := d.ask(http.MethodGet, assets.Path(name), nil, nil)
		if r.status != http.StatusOK {
			b.Fatal(name, r.status)
		}
		first += zipped(b, strings.NewReader(r.body))
	}
	b.ReportMetric(float64(first), "first-load-bytes")
}

// run begins a run of a connection that it makes.
func (b *bed) run(connection string) *storage.RunWriter {
	ctx := context.Background()
	c, err := b.Store.EnsureConnection(ctx, connection, "post")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.Store.PinPlugin(ctx, c.ID, strings.Repeat("0", 64), []byte(lettersManifest)); err != nil {
		b.t.Fatal(err)
	}
	w, err := b.Store.BeginRun(ctx, storage.NewRun{
		RunID: "run_" + connection, ConnectionID: c.ID, Connector: "post", Version: "1", ModuleSHA256: "m", Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "h", Streams: []string{"letters"}, LeaseTTL: time.Hour,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}

// BenchmarkRecords answers with pages of a stream of many records, and with what searches
// find there (OC-14).
func BenchmarkRecords(b *testing.B) {
	d := newBed(b)
	w := d.run("mail")
	for i := 0; i < *benchRecords; {
		batch := w.NewBatch()
		for range 1000 {
			title := fmt.Sprintf("letter %d common", i)
			if i%100 == 0 {
				title += " frequent"
			}
			key, data := letter(fmt.Sprintf("k%07d", i), i%28+1, map[string]any{"title": title, "body": strings.Repeat("words of it ", 30)})
			batch.Add(0, []byte(key), data, []byte("2026-01-02T03:04:05Z"), false)
			i++
		}
		if err := w.Write(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(b.Context(), storage.Outcome{Status: "succeeded"}); err != nil {
		b.Fatal(err)
	}
	for strings.Contains(d.get("/data").body, "notice warn") { // the index follows the records
		time.Sleep(100 * time.Millisecond)
	}
	const at = "/data/mail/letters"
	behind := at
	for range 20 {
		behind = follow(d.page(behind, "letter"), "cursor=")
	}
	for _, c := range []struct{ name, path string }{
		{"first", at}, {"21st", behind}, {"record", at + "/record?key=k0000100"}, {"data", "/data"},
		{"search-common", "/data/search?q=common"}, {"search-frequent", at + "?q=frequent"}, {"search-phrase", "/data/search?q=" + url.QueryEscape(`"letter 77 common"`)},
	} {
		b.Run(c.name, func(b *testing.B) { timed(b, func() { d.page(c.path, "letter") }) })
	}
}

// BenchmarkLive says how long it takes from a commit to a page that shows it: an event, and the
// run's page asked for again (OC-15).
func BenchmarkLive(b *testing.B) {
	d := newBed(b)
	w := d.run("mail")
	source, err := live.OpenSource(b.Context(), d.Owner)
	if err != nil {
		b.Fatal(err)
	}
	hub := live.New(source, time.Now, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(b.Context())
	var others sync.WaitGroup
	others.Go(func() { _ = hub.Run(ctx) })
	defer others.Wait()
	defer stop()
	watcher, err := hub.Watch(ctx, "bench", "")
	if err != nil {
		b.Fatal(err)
	}
	defer watcher.Close()
	n := 0
	timed(b, func() {
		key, data := letter(fmt.Sprintf("k%07d", n), 1, nil)
		batch := w.NewBatch()
		batch.Add(0, []byte(key), data, []byte("2026-01-02T03:04:05Z"), false)
		n++
		if err := w.Write(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
		for !strings.Contains(d.get("/runs/run_mail/part").body, fmt.Sprintf(`<data value="%d">`, n)) {
			<-watcher.Ready()
			if _, err := watcher.Take(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
