package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// side is one figure of many short requests.
type side struct {
	name, promised string
	do             func(context.Context) error
	took           []time.Duration
}

// readers are who asks a host over HTTP.
type readers struct {
	*shelf

	http         *httptest.Server
	whole, timed string // tokens of all records, and of one in a hundred
}

// page is the part of an answer that goes on.
type page struct {
	Data  []json.RawMessage `json:"data"`
	Next  string            `json:"next_cursor"`
	Since string            `json:"next_changes_since"`
}

// bodies are buffers for answers, so that a client's allocations count little.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (r *readers) get(ctx context.Context, token, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.http.URL+path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body := bodies.Get().(*bytes.Buffer) //nolint:forcetypeassert // nothing else is in there
	defer bodies.Put(body)
	body.Reset()
	_, err = body.ReadFrom(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", path, res.Status, body)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(body.Bytes(), into)
}

// list is the first page of 100 of a stream.
const list = "/v1/streams/s0/records?limit=100"

// asks is a side that sends one request.
func (r *readers) asks(name, promised, token, path string) *side {
	return &side{name: name, promised: promised, do: func(ctx context.Context) error { return r.get(ctx, token, path, nil) }}
}

// reads measures what readers ask under a grant: whole requests over HTTP, in turn with a bare statement on the same file.
func (b *bench) reads() error {
	ctx := context.Background()
	title(fmt.Sprintf("Reads under a grant: %d records in %d streams of %d connections", b.readRecords, readStreams, len(readConnections)), "make bench BENCH='-only reads'")
	dir := filepath.Join(b.dir, "reads")
	r, err := newReaders(ctx, dir, b.readRecords)
	if err != nil {
		return err
	}
	defer r.close()
	if r.timed, err = r.granted(ctx, new(time.Unix(1_699_000_000, 0))); err != nil { // of 100,000,000 seconds the last hundredth
		return err
	}
	db, err := reading(dir)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	sides, err := r.sides(ctx, db)
	if err != nil {
		return err
	}
	if err := b.inTurn(ctx, sides); err != nil {
		return err
	}
	row("request", "p50", "p99", "promised at least (aim)")
	row("---", "---", "---", "---")
	for _, one := range sides {
		row(one.name, one.share(50), one.share(99), one.promised)
	}
	if err := r.memory(ctx); err != nil {
		return err
	}
	return r.slow(ctx, b.readRecords)
}

// newReaders makes a store of so many records in a new folder, and a server of it.
func newReaders(ctx context.Context, dir string, records int) (*readers, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	s, err := newShelf(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &readers{shelf: s, http: httptest.NewServer(s.server)}
	s.server.Guard.Listening, err = netip.ParseAddrPort(r.http.Listener.Addr().String())
	if err == nil {
		err = s.fill(ctx, records)
	}
	if err == nil {
		r.whole, err = s.granted(ctx, nil)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *readers) close() {
	r.http.Close()
	_ = r.store.Close()
}

// inTurn sends the requests of all sides in turn. Each is sent twice and counted once, since the figures are
// those of a store that is warm.
func (b *bench) inTurn(ctx context.Context, sides []*side) error {
	for range b.requests {
		for _, one := range sides {
			for warm := range 2 {
				began := time.Now()
				if err := one.do(ctx); err != nil {
					return fmt.Errorf("%s: %w", one.name, err)
				}
				if warm > 0 {
					one.took = append(one.took, time.Since(began))
				}
			}
		}
	}
	for _, one := range sides {
		slices.Sort(one.took)
	}
	return nil
}

// share is the time in which so many of a hundred requests were answered.
func (s *side) share(of int) string {
	return s.took[len(s.took)*of/100].Round(time.Microsecond).String()
}

// sides are the short requests. The first one is the bare statement.
func (r *readers) sides(ctx context.Context, db *sql.DB) ([]*side, error) {
	far := ""
	for range 999 {
		var p page
		if err := r.get(ctx, r.whole, list+far, &p); err != nil {
			return nil, err
		}
		if p.Next == "" {
			break
		}
		far = "&cursor=" + url.QueryEscape(p.Next)
	}
	idle, _, err := r.changes(ctx, "beginning")
	if err != nil {
		return nil, err
	}
	bare, err := bareStatement(ctx, db)
	if err != nil {
		return nil, err
	}
	const all = "&fields=id&fields=title&fields=n"
	return []*side{
		bare,
		r.asks("page of 100", "2 / 8 ms (1 / 4)", r.whole, list),
		r.asks("page of 100, again: A/A", "", r.whole, list),
		r.asks("page 1,000", "1.2 x the first (1.05)", r.whole, list+far),
		r.asks("page with 3 of 12 fields", "1.2 x the whole page (1.0)", r.whole, list+all),
		r.asks("page under a time that hides 99 %", "3 x (1.5)", r.timed, list),
		r.asks("changes, idle", "1 ms (0.3)", r.whole, list+"&changes_since="+url.QueryEscape(idle)),
		r.asks("exact count of a stream", "1 ms (0.2)", r.whole, "/v1/streams/s0/aggregate?metric=count"),
		r.asks("search of a rare word", "p99 10 ms (3)", r.whole, "/v1/search?q=rare"),
		r.asks("search of a common word", "p99 30 ms (10)", r.whole, "/v1/search?q=common"),
		r.asks("window of a text of 1 MB", "50 ms (10)", r.whole, "/v1/streams/s3/records/large/field-window?field=body&offset_chars=500000&limit_chars=1000"),
		r.asks("schema", "", r.whole, "/v1/schema?view=compact"),
		r.checks("60 us (20)"),
	}, nil
}

// checks is a side that finds out what a token stands for.
func (r *readers) checks(promised string) *side {
	return &side{name: "token check", promised: promised, do: func(ctx context.Context) error {
		_, err := r.desk.Caller(ctx, r.whole)
		return err
	}}
}

// bareStatement is the same page by a prepared statement.
func bareStatement(ctx context.Context, db *sql.DB) (*side, error) {
	page, err := db.PrepareContext(ctx, `SELECT o.key, r.data FROM (SELECT sort, key FROM read_order WHERE stream_id = (SELECT min(id) FROM streams WHERE name = 's0') AND sort < x'ff'
ORDER BY sort DESC, key DESC LIMIT 100) AS o JOIN records AS r ON r.stream_id = (SELECT min(id) FROM streams WHERE name = 's0') AND r.key = o.key`)
	if err != nil {
		return nil, err
	}
	return &side{name: "page of 100, a bare statement", do: func(ctx context.Context) error {
		rows, err := page.QueryContext(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		n := 0
		for ; rows.Next(); n++ {
			var key string
			var data []byte
			if err := rows.Scan(&key, &data); err != nil {
				return err
			}
		}
		if n == 0 {
			return fmt.Errorf("the bare page has no rows: %w", rows.Err())
		}
		return rows.Err()
	}}, nil
}

// changes follows the feed of one stream to its end, and returns the next token and the number of rows.
func (r *readers) changes(ctx context.Context, since string) (next string, rows int, err error) {
	path := list + "&changes_since=" + url.QueryEscape(since)
	for cursor := ""; ; {
		var p page
		if err := r.get(ctx, r.whole, path+cursor, &p); err != nil {
			return "", rows, err
		}
		rows += len(p.Data)
		if p.Next == "" {
			return p.Since, rows, nil
		}
		cursor = "&cursor=" + url.QueryEscape(p.Next)
	}
}

// mostHidden bounds how many records of each connection get a hidden change.
const mostHidden = 25_000

// slow measures what takes seconds, each once.
func (r *readers) slow(ctx context.Context, total int) error {
	fmt.Println()
	row("of all", "took", "a second", "promised at least (aim)")
	row("---", "---", "---", "---")
	tell := func(name string, rows int, began time.Time, promised string) {
		took := time.Since(began)
		row(name, took, strconv.Itoa(int(float64(rows)/took.Seconds())), promised)
	}
	began := time.Now()
	since, rows, err := r.changes(ctx, "beginning")
	if err != nil {
		return err
	}
	tell("changes of a stream in pages of 100", rows, began, "40,000 rows/s (100,000)")
	began = time.Now()
	for i := range readStreams {
		if err := r.get(ctx, r.whole, fmt.Sprintf("/v1/streams/s%d/aggregate?metric=count&group_by=kind", i), nil); err != nil {
			return err
		}
	}
	tell("group_by over every stream", total, began, "3 s of a million (1)")
	changed := min(total/readStreams/len(readConnections), mostHidden)
	for _, name := range readConnections {
		if err := r.writeStream(ctx, name, "s0", changed, "y"); err != nil {
			return err
		}
	}
	changed *= len(readConnections)
	began = time.Now()
	if _, err := r.reader.Index.All(ctx, 0); err != nil {
		return err
	}
	tell("indexing of hidden changes", changed, began, "")
	began = time.Now()
	_, told, err := r.changes(ctx, since)
	if err != nil {
		return err
	}
	if told != 0 {
		return fmt.Errorf("the feed tells of %d hidden changes", told)
	}
	tell("changes of a stream, all of them hidden", changed, began, "5 s of a million (1)")
	return nil
}
