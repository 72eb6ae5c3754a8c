package grant

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const notesManifest = `{"connector_id":"https://example.org/notes","connector_key":"notes","display_name":"Notes","version":"1.0.0","streams":[
{"name":"notes","consent_time_field":"at","primary_key":["id"],"views":[{"id":"short","fields":["title"]}],"schema":{"required":["id"],
 "properties":{"id":{"type":"string"},"title":{"type":"string"},"body":{"type":"string"},"at":{"type":"string","format":"date-time"}}}},
{"name":"tags","primary_key":["a","b"],"selection":{"fields":false},"schema":{"required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}},
{"name":"plain","views":[{"id":"odd","fields":["gone"]}],"selection":{"resources":false},"schema":{"properties":{"x":{"type":"string"}}}}]}`

func declared(manifest string, connections ...Connection) Declared {
	return Declared{
		Source: declaration.SourceOf([]byte(manifest)), Digest: Hash([]byte(manifest)), Manifest: []byte(manifest),
		Streams: declaration.Read([]byte(manifest)), Connections: connections,
	}
}

func notesSource() Declared { return declared(notesManifest, Connection{"c1", "mine", "m1"}) }

func parsed(t *testing.T, text string) *Details {
	t.Helper()
	d, err := ParseDetails([]byte(text))
	if err != nil {
		t.Fatalf("%s: got %v, want it to be read", text, err)
	}
	return d
}

// RD-31.2: one connector of a source that has what is asked for is enough, whatever an earlier one
// lacks, and an owner is offered the connections of that one alone.
func TestOneConnectorOfTheSourceIsEnough(t *testing.T) {
	t.Parallel()
	lacks := declared(strings.Replace(notesManifest, `"name":"tags"`, `"name":"labels"`, 1), Connection{"c0", "old", "m0"})
	d := parsed(t, withStream(`{"name":"tags"}`))
	for _, have := range [][]Declared{{lacks, notesSource()}, {notesSource(), lacks}} {
		if err := Check(d, have); err != nil {
			t.Errorf("got %v, want the second connector to be enough", err)
		}
		got := Offers(&Request{Details: d}, have)
		if len(got) != 1 || len(got[0].Connections) != 1 || got[0].Connections[0].ID != "c1" {
			t.Errorf("got %+v, want the connection c1", got)
		}
	}
	if err, got := Check(d, []Declared{lacks}), Offers(&Request{Details: d}, []Declared{lacks}); err == nil || len(got) != 0 {
		t.Errorf("got %v and %+v, want a refusal and nothing to give", err, got)
	}
}

// A source is found by its key, with either sign, and by its addresses in the registry and in this project. A source that has
// the very address that is asked for comes before them, and another host's address that ends alike is none of its names.
func TestASourceIsFoundByAnyOfItsNames(t *testing.T) {
	t.Parallel()
	ours := strings.NewReplacer("https://example.org/notes", "https://github.com/pdpp-host/pdpp-host/connectors/field_notes", `"connector_key":"notes"`, `"connector_key":"field_notes"`)
	have := []Declared{declared(ours.Replace(notesManifest), Connection{"c1", "mine", "m1"})}
	for name, found := range map[string]bool{
		"field_notes": true, "Field-Notes": true, "https://registry.pdpp.dev/connectors/field-notes": true,
		"https://registry.pdpp.dev/connectors/field_notes": true, "https://github.com/pdpp-host/pdpp-host/connectors/field_notes": true,
		"https://elsewhere.example/connectors/field_notes": false, "notes": false,
	} {
		d := parsed(t, strings.Replace(asks, "https://example.org/notes", name, 1))
		q := &Request{Details: d, ClientName: "App"}
		if err, offers := Check(d, have), Offers(q, have); (err == nil) != found || (len(offers) == 1) != found {
			t.Errorf("%s: got %v and %d offers, want it found: %t", name, err, len(offers), found)
		}
		if r, _, err := Resolve(q, &Choices{}, have, noon); found && (err != nil || r.Source.ID != have[0].ID) {
			t.Errorf("%s: got %+v, %v, want a grant of %s", name, r, err, have[0].ID)
		}
	}
	public := declared(strings.NewReplacer("https://example.org/notes", "https://registry.pdpp.dev/connectors/field_notes", `"connector_key":"notes"`, `"connector_key":"field_notes"`).Replace(notesManifest), Connection{"c2", "its", "m2"})
	have = append(have, public)
	d := parsed(t, strings.Replace(asks, "https://example.org/notes", public.ID, 1))
	if offers := Offers(&Request{Details: d}, have); len(offers) != 1 || len(offers[0].Connections) != 1 || offers[0].Connections[0].ID != "c2" {
		t.Errorf("got %+v, want the source of the very address", offers)
	}
	if got, want := d.AskedFor(), public.ID+", streams notes"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// RD-31.2: what the source does not have is refused where it is asked for.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	have := []Declared{notesSource(), declared(strings.ReplaceAll(notesManifest, "example.org/notes", "example.org/unused"))}
	for text, want := range map[string]string{
		strings.Replace(asks, "example.org/notes", "example.org/other", 1):                   "/0/source/id",
		strings.Replace(asks, "example.org/notes", "example.org/unused", 1):                  "/0/source/id",
		strings.Replace(asks, `"streams":[{"name":"notes"}]`, `"selection_preset":"all"`, 1): "/0/selection_preset",
		withStream(`{"name":"gone"}`):                                                        "/0/streams/0/name",
		withStream(`{"name":"notes","view":"gone"}`):                                         "/0/streams/0/view",
		withStream(`{"name":"plain","view":"odd"}`):                                          "/0/streams/0/view",
		withStream(`{"name":"notes","fields":["id","gone"]}`):                                "/0/streams/0/fields/1",
		withStream(`{"name":"tags","fields":["a"]}`):                                         "/0/streams/0/fields",
		withStream(`{"name":"tags","time_range":{"since":"2026-01-01T00:00:00Z"}}`):          "/0/streams/0/time_range",
		withStream(`{"name":"plain","resources":["a"]}`):                                     "/0/streams/0/resources",
		withStream(`{"name":"notes","resources":["a",["a"]]}`):                               "/0/streams/0/resources/1",
		withStream(`{"name":"tags","resources":[["a","b"],["a"]]}`):                          "/0/streams/0/resources/1",
		withStream(`{"name":"notes","resources":["a","b","a"]}`):                             "/0/streams/0/resources/2",
		withStream(`{"name":"tags","resources":[["a","b"],"[\"a\",\"b\"]"]}`):                "/0/streams/0/resources/1",
		withStream(`{"name":"tags","resources":["a"]}`):                                      "/0/streams/0/resources/0",
		withStream(`{"name":"notes","instance_ids":["c1","c2"]}`):                            "/0/streams/0/instance_ids/1",
		withStream(`{"name":"notes","instance_ids":["mine"]}`):                               "/0/streams/0/instance_ids/0",
	} {
		err := Check(parsed(t, text), have)
		if got, ok := param(err); !ok || got != want {
			t.Errorf("%s: got %v, want a refusal of %q", text, err, want)
		}
	}
	if err := Check(parsed(t, withStream(`{"name":"tags","resources":[["a","b<"],"[\"c\",\"d\"]"]}`)), have); err != nil {
		t.Errorf("got %v, want keys of two parts to be read", err)
	}
}

func resolved(t *testing.T, details string, c Choices, have ...Declared) *Review {
	t.Helper()
	q := &Request{ClientID: "c", ClientName: "App"}
	if details != "" {
		q.Details = parsed(t, details)
	}
	r, _, err := Resolve(q, &c, have, noon)
	if err != nil {
		t.Fatalf("%s: got %v, want a review", details, err)
	}
	return r
}

func told(s *Stream) string {
	return fmt.Sprintf("%s%v%v%v%s", s.Name, s.InstanceIDs, s.Fields, s.Resources, s.records())
}

// RD-32.2, RD-32.3, RD-32.4, RD-32.5, RD-36.1: stars, views and left-out fields become explicit, with the
// required ones, one connection and a time.
func TestResolve(t *testing.T) {
	t.Parallel()
	one := notesSource()
	two := declared(notesManifest, Connection{"c1", "mine", "m1"}, Connection{"c2", "yours", "m1"})
	since := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		asks, want string
		choices    Choices
		have       Declared
	}{
		{asks, "notes[c1][id title body at][]all records, and those to come", Choices{}, one},
		{withStream(`{"name":"notes","view":"short"}`), "notes[c1][id title][]all records, and those to come", Choices{}, one},
		{withStream(`{"name":"notes","fields":["body"]}`), "notes[c1][id body][]all records, and those to come", Choices{}, one},
		{withStream(`{"name":"tags","resources":[["a","<"]]}`), `tags[c1][a b][["a","<"]]one record that the app names: “["a","<"]”`, Choices{}, one},
		{asks, "notes[c2][id title body at][]all records, and those to come", Choices{Connections: []string{"yours"}}, two},
		{withStream(`{"name":"notes","instance_ids":["c2","c1"]}`), "notes[c1 c2][id title body at][]all records, and those to come", Choices{}, two},
		{withStream(`{"name":"notes","instance_ids":["c2","c1"]}`), "notes[c1][id title body at][]all records, and those to come", Choices{Connections: []string{"mine"}}, two},
		{asks, "notes[c1][id title][]all records with at on or after 1 February 2026", Choices{Streams: []Choice{{"notes", []string{"title"}}}, Since: &since}, one},
		{withStream(`{"name":"notes","time_range":{"since":"2026-02-10T08:30:00Z"}}`), "notes[c1][id title body at][]all records with at on or after 10 February 2026, 08:30 UTC", Choices{Since: &since}, one},
		{"", "notes[c1][id body][]all records, and those to come", Choices{Connector: "notes", Streams: []Choice{{"notes", []string{"body"}}}}, one},
		{"", "tags[c2][a b][]all records, and those to come", Choices{Connections: []string{"c2"}, Streams: []Choice{{Name: "tags"}}}, two},
	} {
		r := resolved(t, c.asks, c.choices, c.have)
		if got := told(&r.Streams[0]); got != c.want || len(r.Streams) != 1 {
			t.Errorf("%s: got %d streams, the first %s, want %s", c.asks, len(r.Streams), got, c.want)
		}
	}
	if r := resolved(t, withStream(`{"name":"*"}`), Choices{}, one); len(r.Streams) != 3 {
		t.Errorf("*: got %d streams, want all 3", len(r.Streams))
	}
	both := withStream(`{"name":"notes"},{"name":"plain","necessity":"optional"}`)
	if r := resolved(t, both, Choices{}, one); len(r.Streams) != 1 {
		t.Errorf("an optional stream that nobody chose: got %d streams, want 1", len(r.Streams))
	}
	for choice, want := range map[string]string{"": "2026-03-31T12:00:00Z", "1d": "2026-03-02T12:00:00Z", "2026-12-31": "2026-12-31T00:00:00Z", Never: ""} {
		r, got := resolved(t, asks, Choices{Expires: choice}, one), ""
		if r.ExpiresAt != nil {
			got = r.ExpiresAt.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("it ends %q: got %s, want %s", choice, got, want)
		}
	}
}

// RD-32.4, RD-42.4, RD-42.5: an owner who has to choose is told so, and gives nothing that
// was not asked for.
func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	one := notesSource()
	two := declared(notesManifest, Connection{"c1", "mine", "m1"}, Connection{"c2", "yours", "m1"})
	newer := declared(strings.Replace(notesManifest, "1.0.0", "2.0.0", 1), Connection{"c3", "newer", "m2"})
	since, until := noon, noon.Add(-time.Hour)
	for _, c := range []struct {
		asks    string
		choices Choices
		have    []Declared
		want    abi.Code
	}{
		{asks, Choices{}, []Declared{two}, CodeChoice},
		{asks, Choices{Connections: []string{"other"}}, []Declared{one}, CodeChoice},
		{withStream(`{"name":"notes","instance_ids":["c1"]}`), Choices{Connections: []string{"c2"}}, []Declared{two}, CodeChoice},
		{asks, Choices{Connections: []string{"mine", "newer"}}, []Declared{one, newer}, CodeConflict},
		{asks, Choices{Connector: "notes"}, []Declared{one}, CodeChoice},
		{asks, Choices{Streams: []Choice{{Name: "tags"}}}, []Declared{one}, CodeChoice},
		{withStream(`{"name":"notes"},{"name":"plain"}`), Choices{Streams: []Choice{{Name: "notes"}}}, []Declared{one}, CodeChoice},
		{withStream(`{"name":"notes","necessity":"optional"}`), Choices{}, []Declared{one}, CodeChoice},
		{withStream(`{"name":"notes","fields":["title"]}`), Choices{Streams: []Choice{{"notes", []string{"body"}}}}, []Declared{one}, CodeChoice},
		{withStream(`{"name":"plain"}`), Choices{Streams: []Choice{{"plain", []string{}}}}, []Declared{one}, CodeChoice},
		{asks, Choices{Since: &since, Until: &until}, []Declared{one}, CodeChoice},
		{withStream(`{"name":"plain"}`), Choices{Since: &since}, []Declared{one}, CodeChoice},
		{asks, Choices{Expires: "soon"}, []Declared{one}, CodeChoice},
		{asks, Choices{Expires: "2026-03-01"}, []Declared{one}, CodeChoice},
		{asks, Choices{AITraining: true}, []Declared{one}, CodeChoice},
		{"", Choices{}, []Declared{one}, CodeChoice},
		{"", Choices{Connector: "notes"}, []Declared{one}, CodeChoice},
		{"", Choices{Connector: "gone", Streams: []Choice{{Name: "notes"}}}, []Declared{one}, CodeChoice},
	} {
		q := &Request{ClientID: "c"}
		if c.asks != "" {
			q.Details = parsed(t, c.asks)
		}
		if _, _, err := Resolve(q, &c.choices, c.have, noon); abi.CodeOf(err) != c.want {
			t.Errorf("%s %+v: got %v, want %s", c.asks, c.choices, err, c.want)
		}
	}
}

// RD-42.4: whoever trains models is allowed it by itself, also where the app writes the purpose's
// address in another way.
func TestTrainingIsAllowedByItself(t *testing.T) {
	t.Parallel()
	one := notesSource()
	for _, purpose := range []string{
		AITraining, "HTTPS://PDPP.dev/purpose/ai_training", "https://pdpp.dev/purpose/AI_Training", "https://pdpp.dev/purpose/%61i%5Ftraining", "https://pdpp.dev:443/purpose/ai_training",
		"https://pdpp.dev./purpose/ai_training", "https://pdpp.dev/purpose/ai_training/", "https://pdpp.dev//x/../purpose/./ai_training", "https://pdpp.dev/purpose/ai_training?a#b", "http://a@pdpp.dev/purpose/ai_training",
	} {
		train := strings.Replace(asks, "https://example.org/why", purpose, 1)
		for _, allowed := range []bool{false, true} {
			_, _, err := resolved(t, train, Choices{AITraining: allowed}, one).Grant("grt_1", noon)
			if (err == nil) != allowed {
				t.Errorf("%s: training is allowed: %v, and the grant is refused with %v", purpose, allowed, err)
			}
		}
	}
	for _, purpose := range []string{"https://example.org/purpose/ai_training", "https://pdpp.dev/purpose/research", "https://pdpp.dev.example/purpose/ai_training", "urn:pdpp:ai_training"} {
		other := strings.Replace(asks, "https://example.org/why", purpose, 1)
		if _, _, err := resolved(t, other, Choices{}, one).Grant("grt_1", noon); err != nil {
			t.Errorf("%s: got %v, want a grant", purpose, err)
		}
	}
	for _, purpose := range []string{ // a browser reads these as the same address, and RFC 3986 knows none of them
		"https:pdpp.dev/purpose/ai_training", `https:\\\\pdpp.dev\\purpose\\ai_training`, "https://pdpp。dev/purpose/ai_training", "https://ｐdpp.dev/purpose/ai_training", `https://pdpp.dev/purpose\\ai_training`,
	} {
		if _, err := ParseDetails([]byte("[" + strings.Replace(asks, "https://example.org/why", purpose, 1) + "]")); err == nil {
			t.Errorf("%s: got no error, want it refused as no address", purpose)
		}
	}
}

// RD-34.1: a bound that is Go's zero time would bound nothing, and one outside the years 1 to
// 9999 cannot be written: an owner cannot choose them, and a document that has one is damaged.
func TestTimesThatBoundNothing(t *testing.T) {
	t.Parallel()
	_, text, err := resolved(t, withStream(`{"name":"notes","time_range":{"since":"2026-01-01T00:00:00Z","until":"2026-02-01T00:00:00Z"}}`), Choices{}, notesSource()).Grant("grt_1", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"} {
		at, err := time.Parse(time.RFC3339, wrong)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []Choices{{Since: &at}, {Until: &at}} {
			if _, _, err := Resolve(&Request{ClientID: "c", Details: parsed(t, asks)}, &c, []Declared{notesSource()}, noon); abi.CodeOf(err) != CodeChoice {
				t.Errorf("%s is chosen: got %v, want %s", wrong, err, CodeChoice)
			}
		}
		for _, part := range []string{`"2026-01-01T00:00:00Z"`, `"2026-02-01T00:00:00Z"`} {
			damaged := []byte(strings.Replace(string(text), part, `"`+wrong+`"`, 1))
			if _, err := ReadDocument(damaged, Hash(damaged)); abi.CodeOf(err) != CodeInvalid {
				t.Errorf("%s stands for %s: got %v, want %s", wrong, part, err, CodeInvalid)
			}
		}
	}
}

// RD-42.2: another choice makes another revision, and the same one the same.
func TestRevision(t *testing.T) {
	t.Parallel()
	one, seen := notesSource(), map[string]bool{}
	since := noon
	for _, c := range []Choices{{}, {Expires: Never}, {Since: &since}, {Streams: []Choice{{"notes", []string{"title"}}}}} {
		revision := resolved(t, asks, c, one).Revision()
		if seen[revision] || revision != resolved(t, asks, c, one).Revision() {
			t.Errorf("%+v: got the revision %s, want one of its own", c, revision)
		}
		seen[revision] = true
	}
}

// RD-34.1: whatever an owner chooses, a grant holds no stream, field, connection, record or
// time that was not asked for, and its scope is what its document says.
func TestGrantIsWithinTheRequest(t *testing.T) {
	t.Parallel()
	have := []Declared{declared(notesManifest, Connection{"c1", "mine", "m1"}, Connection{"c2", "yours", "m1"})}
	rapid.Check(t, func(t *rapid.T) {
		some := func(label string, of ...string) []string {
			if list := rapid.SliceOfDistinct(rapid.SampledFrom(of), rapid.ID[string]).Draw(t, label); len(list) > 0 {
				return list
			}
			return nil
		}
		at := func(label string) *time.Time {
			n := rapid.IntRange(0, 20).Draw(t, label)
			when := noon.Add(time.Duration(n) * time.Hour)
			if n == 0 {
				return nil
			}
			return &when
		}
		asked := Asked{Name: "notes", Fields: some("fields", "title", "body", "at"), InstanceIDs: some("instances", "c1", "c2")}
		if since, until := at("since"), at("until"); since != nil || until != nil {
			asked.TimeRange = &TimeRange{Since: since, Until: until}
		}
		d := &Details{Type: Type, Source: Source{ID: "https://example.org/notes"}, PurposeCode: "https://example.org/why", AccessMode: Continuous, Streams: []Asked{asked}}
		c := Choices{Connections: some("connections", "c1", "yours"), Since: at("chosen since"), Until: at("chosen until")}
		if fields := some("chosen fields", "id", "title", "body", "at"); fields != nil {
			c.Streams = []Choice{{"notes", fields}}
		}
		r, _, err := Resolve(&Request{ClientID: "c", Details: d}, &c, have, noon)
		if err != nil {
			return
		}
		doc, text, err := r.Grant("grt_1", noon)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadDocument(text, Hash(text))
		if err != nil || again.Scope().Grant != doc.GrantID || again.GrantID != doc.GrantID {
			t.Fatalf("got %v of the document %s", err, text)
		}
		scope := again.Scope().Streams[0]
		for _, name := range scope.Fields {
			if name != "id" && asked.Fields != nil && !slices.Contains(asked.Fields, name) {
				t.Errorf("got the field %s, want those of %v", name, asked.Fields)
			}
		}
		for _, id := range scope.Connections {
			if asked.InstanceIDs != nil && !slices.Contains(asked.InstanceIDs, id) {
				t.Errorf("got the connection %s, want those of %v", id, asked.InstanceIDs)
			}
		}
		var within TimeRange
		if asked.TimeRange != nil {
			within = *asked.TimeRange
		}
		for _, since := range []*time.Time{c.Since, within.Since} {
			if since != nil && (scope.Time == nil || scope.Time.Since == nil || scope.Time.Since.Before(*since)) {
				t.Errorf("got the time %+v, want none before %s", scope.Time, since)
			}
		}
		for _, until := range []*time.Time{c.Until, within.Until} {
			if until != nil && (scope.Time == nil || scope.Time.Until == nil || scope.Time.Until.After(*until)) {
				t.Errorf("got the time %+v, want none after %s", scope.Time, until)
			}
		}
	})
}

// RD-33: a document that differs by one byte from what was approved is no grant.
func TestDamagedDocument(t *testing.T) {
	t.Parallel()
	_, text, err := resolved(t, asks, Choices{}, notesSource()).Grant("grt_1", noon)
	if err != nil {
		t.Fatal(err)
	}
	hash := Hash(text)
	for i := range text {
		changed := slices.Clone(text)
		changed[i] ^= 1
		if _, err := ReadDocument(changed, hash); abi.CodeOf(err) != CodeInvalid {
			t.Fatalf("byte %d: got %v, want %s", i, err, CodeInvalid)
		}
	}
	for _, other := range []string{strings.Replace(string(text), `"0.1.0"`, `"0.2.0"`, 1), strings.Replace(string(text), `"version"`, `"more":1,"version"`, 1), `{"version":"0.1.0","streams":[{"name":"notes"}]}`} {
		if _, err := ReadDocument([]byte(other), Hash([]byte(other))); abi.CodeOf(err) != CodeInvalid {
			t.Errorf("%s: got %v, want %s", other, err, CodeInvalid)
		}
	}
}

// RD-42.3: a promise about time is told in plain words where it is simple.
func TestRetentionWords(t *testing.T) {
	t.Parallel()
	for span, want := range map[string]string{
		"P90D": "90 days", "P1D": "1 day", "P1Y": "1 year", "P6M": "6 months", "P2W": "2 weeks", "PT1H": "1 hour", "PT30M": "30 minutes", "PT01S": "1 second", "P1Y2M": "P1Y2M", "P0D": "0 days",
	} {
		if got := (&Retention{span, "delete"}).Span(); got != want {
			t.Errorf("%s: got %q, want %q", span, got, want)
		}
	}
	if got := (&Retention{"P1D", "delete"}).Then() + ", " + (&Retention{"P1D", "anonymize"}).Then(); got != "deletes it, anonymizes it" {
		t.Errorf("got %q, want what is done then", got)
	}
}

// RD-44.2: an owner who chooses a connection that is not there is not told that they chose none.
func TestAnUnknownConnectionIsChosen(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]Choices{
		"none of the connections that are chosen is there": {Connections: []string{"gone"}, Streams: []Choice{{Name: "notes"}}},
		"no connection is chosen":                          {Streams: []Choice{{Name: "notes"}}},
	} {
		if _, _, err := Resolve(&Request{ClientID: "c"}, &c, []Declared{notesSource()}, noon); abi.CodeOf(err) != CodeChoice || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: got %v, want that %s", c, err, text)
		}
	}
}

// RD-42.3: a field that cannot be chosen is named.
func TestAnUnknownFieldIsNamed(t *testing.T) {
	t.Parallel()
	_, _, err := Resolve(&Request{ClientID: "c", Details: parsed(t, asks)}, &Choices{Streams: []Choice{{"notes", []string{"title", "gone"}}}}, []Declared{notesSource()}, noon)
	if e, ok := errors.AsType[*abi.Error](err); !ok || !strings.Contains(e.Message, `"gone" of notes`) {
		t.Errorf("got %v, want the field's name", err)
	}
}

// RD-42.3: the words name each part, and say of an end when it is.
func TestWords(t *testing.T) {
	t.Parallel()
	names := func(id string) string { return map[string]string{"c1": "mine"}[id] }
	w := resolved(t, withStream(`{"name":"notes","fields":["title"],"time_range":{"since":"2026-01-01T00:00:00Z","until":"2026-02-01T00:00:00Z"}}`), Choices{}, notesSource()).Words(names)
	want := "[{notes [mine] [id title] all records with at on or after 1 January 2026 and before 1 February 2026}] It may read until the grant ends. It ends on 31 March 2026, 12:00 UTC, or when you revoke it."
	if got := fmt.Sprintf("%v %s %s", w.Streams, w.Access, w.Ends); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	few := resolved(t, withStream(`{"name":"notes","resources":["a","b\u202e\n"],"time_range":{"since":"2026-01-01T00:00:00Z"}}`), Choices{}, notesSource()).Words(names)
	if got, want := few.Streams[0].Records, "2 records that the app names, with at on or after 1 January 2026: “a”, “b\ufffd\ufffd”"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	many := resolved(t, withStream(`{"name":"notes","resources":["`+strings.Repeat("x", 100)+`","2","3","4","5","6","7","8","9","10","11","12"]}`), Choices{}, notesSource()).Words(names)
	if got, want := many.Streams[0].Records, "12 records that the app names: “"+strings.Repeat("x", 64)+"…”, “2”, “3”, “4”, “5”, “6”, “7”, “8”, “9”, “10”, and 2 more"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	once := resolved(t, strings.Replace(asks, Continuous, SingleUse, 1), Choices{Expires: Never}, notesSource()).Words(names)
	if got := once.Access + once.Ends; got != "It gets one token, which works for a day at most.It ends when you revoke it." {
		t.Errorf("got %s, want the words of a token that is given once", got)
	}
}
