package records

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read"
)

// opaque are cursors and tokens, of which a reader sees how long they are.
var opaque = regexp.MustCompile(`[A-Za-z0-9_-]{60,}`)

// twinPaths are what both hosts are asked. A page that has another one is followed.
var twinPaths = []string{
	"/v1/streams", "/v1/streams?connection_id=ONE", "/v1/streams?connection_id=TWO", "/v1/streams?connection_id=none", "/v1/streams/notes", "/v1/streams/notes?connection_id=TWO", "/v1/streams/other", "/v1/streams/never",
	"/v1/schema", "/v1/schema?view=compact", "/v1/schema?stream=other", "/v1/schema?detail=full&stream=notes", "/v1/schema?stream=notes&connection_id=TWO", "/v1/connectors", "/v1/connections", "/v1/connections?connection_id=TWO",
	records, records + "?limit=1&count=exact&window=exact", records + "?limit=1&order=asc", records + "?fields=id", records + "?fields=secret", records + "?fields=never", records + "?sort=at", records + "?sort=-secret", records + "?sort=emitted_at",
	records + "?connection_id=ONE&limit=2", records + "?connection_id=TWO", records + "?connection_id=none", records + "?cursor=x", records + "?filter[secret]=canary", "/v1/streams/other/records?limit=1", "/v1/streams/never/records",
	records + "?changes_since=beginning&limit=1", records + "?changes_since=beginning&fields=id", records + "?changes_since=2026-01-01T00:00:00Z",
	records + "/a", records + "/b?fields=secret", records + "/h", records + "/h?connection_id=TWO", records + "/never", records + "/a/field-window?field=title", records + "/a/field-window?field=secret", records + "/h/field-window?field=title", records + "/never/field-window?field=title",
	"/v1/streams/notes/aggregate?metric=count", "/v1/streams/notes/aggregate?metric=count&group_by=title", "/v1/streams/notes/aggregate?metric=count&group_by=secret", "/v1/streams/notes/aggregate?metric=sum&field=n",
	"/v1/streams/notes/aggregate?metric=count&group_by_time=at&granularity=day", "/v1/streams/notes/aggregate?metric=sum&field=never",
	"/v1/search?q=red", "/v1/search?q=red&limit=1", "/v1/search?q=canary", "/v1/search?q=never", "/v1/search?q=red&streams=notes", "/v1/search?q=red&streams=other", "/v1/search?q=red&connection_id=TWO",
	"/v1/blobs/" + strings.Repeat("a", 64), "/v1/blobs/never", "/v1/never",
}

// told says all of what a host answers, page by page, in words that are the same on both.
func (b *bed) told(method, path string) string {
	b.Helper()
	as := strings.NewReplacer("ONE", b.ids["one"], "TWO", b.ids["two"])
	var all strings.Builder
	for path = as.Replace(path); path != ""; {
		ask := func() *answer { return b.get("twin", path, func(r *http.Request) { r.Method = method }) }
		a := ask()
		for tries := 0; strings.Contains(a.body, "count_downgraded") || strings.Contains(a.body, `"object":"stream","name":"notes","`) && !strings.Contains(a.body, `"record_count"`); tries++ {
			if tries == 50 {
				b.Fatalf("%s: not counted after %d tries: %s", path, tries, a.body)
			}
			a = ask() // the machine was slow
		}
		head := a.head.Clone()
		for _, name := range []string{"Request-Id", "X-Request-Id", "Etag"} { // a hash of the body, which has the ids of connections
			head.Del(name)
		}
		fmt.Fprintln(&all, a.status, head, a.body)
		if path = ""; a.Links.Next != nil {
			path = *a.Links.Next
		}
	}
	text := opaque.ReplaceAllStringFunc(all.String(), func(s string) string { return fmt.Sprint("opaque of ", len(s)) })
	text = regexp.MustCompile(`req_[a-z2-7]+`).ReplaceAllString(text, "req")
	return strings.NewReplacer(b.ids["one"], "ONE", b.ids["two"], "TWO").Replace(text)
}

// Invariant 9, RD-34.4: two hosts that agree on what a grant shows answer alike, whatever they are
// asked: with the same rows, counts, refusals and headers, and opaque texts of one length. They differ
// in hidden fields, in how long those are, in records outside of a time or of the keys, in streams and in a connection.
func TestTwinsAnswerAlike(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	seen := []string{"a", `{"id":"a","title":"red wine","at":"2026-01-03T00:00:00%[1]sZ","n":1%[2]s}`, "b", `{"id":"b","title":"red red","at":"2026-01-04T00:00:00%[1]sZ"%[2]s}`, "c", `{"id":"c","title":"blue","at":"2026-01-05T00:00:00%[1]sZ"%[2]s}`}
	written := func(fraction, secret string) (all []string) {
		for _, text := range seen {
			if strings.HasPrefix(text, "{") {
				text = fmt.Sprintf(text, fraction, secret)
			}
			all = append(all, text)
		}
		return all
	}
	const outside = `{"id":"h","title":"red canary","secret":"red canary","at":"2026-01-01T00:00:00Z","n":7}`
	for name, of := range map[string]struct {
		scope  read.StreamScope
		before func(*bed) // what one of them has besides, before what both have; nil: nothing
		behind func(*bed) // and behind it
	}{
		"fields": {read.StreamScope{Fields: []string{"id", "title"}}, nil, func(b *bed) {
			b.put("one", "notes", written(".987654321", `,"secret":"canary canary red"`)[:4]...) // not c, which went
		}},
		"a time": {read.StreamScope{Fields: []string{"id", "title", "at"}, Time: &read.TimeBound{Field: "at", Since: &since}}, func(b *bed) { b.put("one", "notes", "h", outside, "i", strings.Replace(outside, "h", "i", 1)) }, func(b *bed) {
			b.put("one", "notes", "-i", "")
			b.put("one", "notes", "j", outside, "h", strings.Replace(outside, "7", "8", 1), "k", `{"id":"k","title":"red canary"}`)
		}},
		"keys": {read.StreamScope{Fields: []string{"id", "title", "at"}, Keys: []string{"a", "b", "c", "never"}}, func(b *bed) { b.put("one", "notes", "h", outside) }, func(b *bed) {
			b.put("one", "notes", "h", strings.Replace(outside, "2026-01-01", "2026-01-09", 1))
			b.put("one", "notes", "-h", "")
		}},
		"another connection": {read.StreamScope{Fields: []string{"id", "title", "at"}}, func(b *bed) { b.put("two", "notes", "a", outside) }, func(b *bed) {
			b.put("two", "notes", "h", outside)
			b.put("two", "notes", "-a", "")
			b.put("one", "other", "h", outside)
			b.put("two", "other", "h", outside)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := [2]map[string]string{}
			for twin := range answers {
				b := newBed(t)
				scope := of.scope
				scope.Name, scope.Connections = "notes", []string{b.ids["one"]}
				b.server.Callers = read.AnyOf(b.server.Callers, grants{"twin": {Client: "d", Grant: "h", Scope: &read.Scope{Streams: []read.StreamScope{scope}}}})
				indexed := func() { b.get("twin", records) }
				if twin == 1 && of.before != nil {
					of.before(b)
				}
				indexed()
				b.put("one", "notes", written("", []string{"", `,"secret":"red canary"`}[twin])...)
				indexed()
				b.put("one", "notes", "-c", "")
				indexed()
				if twin == 1 {
					of.behind(b)
					indexed()
				}
				answers[twin] = map[string]string{}
				for _, path := range twinPaths {
					answers[twin][path] = b.told(http.MethodGet, path)
					if strings.HasPrefix(path, records+"/") {
						answers[twin]["DELETE "+path] = b.told(http.MethodDelete, path)
					}
				}
			}
			for _, asked := range slices.Sorted(maps.Keys(answers[0])) {
				if one, two := answers[0][asked], answers[1][asked]; one != two {
					t.Errorf("%s tells what is hidden:\n%s\n%s", asked, one, two)
				}
			}
		})
	}
}
