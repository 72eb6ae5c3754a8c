package records

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// RD-56, RD-56.1: each read of a known caller is told on, a refused one with its code, and
// nothing that a record or a query holds.
func TestReadsAreDisclosed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":"canary","secret":"x"}`, "b", `{"id":"b"}`, "gone", `{"id":"gone"}`)
	b.put("one", "notes", "-gone", "")
	var all []read.Disclosure
	b.server.Disclose = func(d *read.Disclosure) { all = append(all, *d) }
	for _, path := range []string{
		"/v1/streams", "/v1/streams/notes/records?limit=1&fields=id", "/v1/streams/notes/records?changes_since=beginning", "/v1/streams/notes/records/a",
		"/v1/streams/other/records", "/v1/streams/notes/records/canary", "/v1/streams/notes/records?filter%5Btitle%5D=canary", "/v1/streams/notes/records?canary=1",
		"/v1/streams/notes/aggregate?metric=count&group_by=title", "/v1/schema", "/v1/streams/notes",
	} {
		b.get("client", path)
	}
	b.get(b.owner, "/v1/streams/notes/records")
	b.get("none", "/v1/streams/notes/records")
	var got []string
	for i := range all {
		d := &all[i]
		got = append(got, fmt.Sprintf("%s %d %s %v %v %s", strings.TrimPrefix(d.Route, "/v1/streams"), d.Status, d.Code, d.Records, d.Parameters, d.Caller.Client))
		if !strings.HasPrefix(d.RequestID, "req_") || (d.Code == "") != (d.Bytes > 0) || d.At.IsZero() || d.Caller.Token == "" && d.Caller.Grant == "" {
			t.Errorf("got %+v, want its request, its caller and its size", d)
		}
	}
	list := "/{stream}/records"
	want := []string{
		" 200  map[] [] c", list + " 200  map[notes:1] [fields limit] c", list + " 200  map[notes:2] [changes_since] c", list + "/{record} 200  map[notes:1] [] c",
		list + " 403 grant_stream_not_allowed map[] [] c", list + "/{record} 404 not_found map[] [] c", list + " 400 invalid_request map[] [] c", list + " 400 invalid_request map[] [] c",
		"/{stream}/aggregate 200  map[notes:0] [group_by metric] c", "/v1/schema 200  map[notes:0] [] c", "/{stream} 200  map[notes:0] [] c",
		list + " 200  map[notes:2] [] ",
	}
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "[connection_id connector_id]", "[]")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := fmt.Sprintf("%+v", all); strings.Contains(text, "canary") {
		t.Errorf("got %s, want no value in it", text)
	}
}

// RD-57: an app reads as many bytes in an hour as its grant may, also with a renewed token, and
// others go on; the answer that goes beyond is whole.
func TestBytesOfATokenAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":"`+strings.Repeat("x", 1000)+`"}`)
	now := time.Unix(1, 0)
	b.server.Now = func() time.Time { return now }
	scope := &read.Scope{Streams: []read.StreamScope{{Name: "notes", Connections: []string{b.ids["one"]}, Fields: []string{"id", "title"}}}}
	b.server.Callers = grants{
		"bounded": &read.Caller{Client: "c", Grant: "g", Token: "t", Bytes: 3600, Scope: scope}, "renewed": &read.Caller{Client: "c", Grant: "g", Token: "t2", Bytes: 3600, Scope: scope}, "free": &read.Caller{Client: "c", Grant: "h", Token: "u", Scope: scope},
	}
	const path = "/v1/streams/notes/records"
	statuses := ""
	for range 4 {
		statuses += fmt.Sprint(b.get("bounded", path).status, " ")
	}
	if want := "200 200 200 429 "; statuses != want {
		t.Errorf("got %s, want %s", statuses, want)
	}
	refused := b.get("bounded", path)
	if refused.Error.Code != "rate_limit_exceeded" || refused.head.Get("Ratelimit-Limit") != "3600" || refused.head.Get("Retry-After") == "" {
		t.Errorf("got %s %v, want 429 and when to come again", refused.body, refused.head)
	}
	if a := b.get("renewed", path); a.status != http.StatusTooManyRequests {
		t.Errorf("a renewed token: got %d, want 429", a.status)
	}
	for range 10 {
		if a := b.get("free", path); a.status != http.StatusOK {
			t.Errorf("another token: got %d, want a success", a.status)
		}
	}
	now = now.Add(time.Hour)
	if a := b.get("bounded", path); a.status != http.StatusOK {
		t.Errorf("an hour later: got %d, want a success", a.status)
	}
}

// RD-57, RD-58: another face of the process is bound by what its grant may read in an hour.
func TestBytesOfAnotherFaceAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":"`+strings.Repeat("x", 1000)+`"}`)
	b.server.Now = func() time.Time { return time.Unix(1, 0) }
	caller := &read.Caller{Client: "c", Grant: "g", Bytes: 1000, Scope: &read.Scope{Streams: []read.StreamScope{{Name: "notes", Connections: []string{b.ids["one"]}, Fields: []string{"id", "title"}}}}}
	for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		if got := b.server.Ask(t.Context(), caller, []string{"v1", "streams", "notes", "records"}, nil); got.Status != want {
			t.Errorf("question %d: got %d %s, want %d", i+1, got.Status, got.Body, want)
		}
	}
}

// RD-56.1: a read that is refused for its number, or under a grant that has ended, is told on with
// its code; and only so many of those that come in numbers, which fill no store.
func TestRefusedReadsAreDisclosed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	told := map[string]int{}
	b.server.Disclose = func(d *read.Disclosure) {
		told[d.Caller.Grant+" "+d.Code]++
		if d.Code != "" && d.Records != nil {
			t.Errorf("got %v of a refusal, want no record", d.Records)
		}
	}
	b.server.Now = func() time.Time { return time.Unix(1, 0) }
	for range burstOfClient + burstOfNoted + 5 {
		b.get("client", "/v1/streams")
	}
	b.get("revoked", "/v1/streams")
	ended := &read.Caller{Client: "c", Grant: "over", Token: "t"}
	b.server.Refused(t.Context(), ended, []string{"v1", "streams"}, abi.NewError(read.CodeGrantExpired, "the grant has ended", ""))
	want := map[string]int{"g ": burstOfClient, "g rate_limit_exceeded": burstOfNoted, "gone grant_revoked": 1, "over grant_expired": 1}
	if !maps.Equal(told, want) {
		t.Errorf("got %v, want %v", told, want)
	}
}
