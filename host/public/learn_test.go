package public_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/public"
)

var learnedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// parsed returns the manifest as the host reads it.
func parsed(t *testing.T, m *public.Manifest) *abi.Manifest {
	t.Helper()
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	out, err := manifest.Parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if again, err := public.Read(text).Text(); err != nil || string(again) != string(text) {
		t.Errorf("read and written: got %s, want %s (%v)", again, text, err)
	}
	return out
}

// Each line of the table makes a manifest that the host can read.
func TestFactsAreManifests(t *testing.T) {
	t.Parallel()
	streams := 0
	for _, connector := range public.Connectors() {
		m := parsed(t, public.New(connector, nil))
		streams += len(m.Streams)
		if len(public.New(strings.ReplaceAll(connector, "_", "-"), nil).Streams) != len(m.Streams) || abi.CanonicalKey(m.ConnectorKey) != connector || m.DisplayName == connector {
			t.Errorf("%s: got the key %q and the name %q", connector, m.ConnectorKey, m.DisplayName)
		}
	}
	if streams != 168 {
		t.Errorf("%d streams, want 168", streams)
	}
	s := parsed(t, public.New("spotify", nil)).Stream("top_artists")
	if s == nil || !slices.Equal(s.PrimaryKey, []string{"id", "time_range"}) || s.ConsentTimeField != "" {
		t.Errorf("spotify's top_artists: got %+v, want the key id, time_range", s)
	}
	if s := parsed(t, public.New("claude-code", nil)).Stream("messages"); !s.AppendOnly() || s.ConsentTimeField != "timestamp" {
		t.Errorf("claude_code's messages: got %+v, want append_only by timestamp", s)
	}
	if public.Read([]byte(`{"version":"1.0.0"}`)) != nil || public.Read([]byte("{")) != nil {
		t.Error("a connector's own manifest was read as one that was learned")
	}
}

// The connector that is installed names and describes; what the table has of a stream stays.
func TestTheInstalledConnectorDescribes(t *testing.T) {
	t.Parallel()
	installed := &abi.Manifest{ConnectorID: "https://connectors.example.org/ical", DisplayName: "Calendars", Streams: []abi.Stream{
		{Name: "events", Description: "What is planned", Semantics: abi.SemanticsAppend, PrimaryKey: []string{"other"}},
		{Name: "calendars", Description: "Where", Semantics: abi.SemanticsMutable, PrimaryKey: []string{"a", "b"}},
	}}
	m := parsed(t, public.New("ical", installed))
	events, calendars := m.Stream("events"), m.Stream("calendars")
	if m.DisplayName != "Calendars" || m.ConnectorID != installed.ConnectorID || events.Description != "What is planned" || !slices.Equal(events.PrimaryKey, []string{"id"}) || events.AppendOnly() {
		t.Errorf("got %+v, want the installed names over the table's key", m)
	}
	if calendars == nil || !slices.Equal(calendars.PrimaryKey, []string{"a", "b"}) {
		t.Errorf("got %+v, want the stream that the table lacks", calendars)
	}
}

// Data that a connector fetches again and again grows old, a week after it came unless a manifest says another age, so that a
// connection of which all is collected is healthy. An import does not.
func TestDataOfADeviceGrowsOld(t *testing.T) {
	t.Parallel()
	hour := int64(3600)
	hourly := &abi.Manifest{ConnectorKey: "claude_code", ConnectorID: "https://connectors.example.org/a", DisplayName: "A", Capabilities: abi.Capabilities{RefreshPolicy: &abi.RefreshPolicy{MaximumStalenessSeconds: &hour}}}
	named := func(m *public.Manifest) *public.Manifest {
		m.Name("notes")
		return m
	}
	before, err := named(public.New("my_own", nil)).Text()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    *public.Manifest
		want int64
	}{
		"fetches":            {public.New("claude-code", nil), 604_800},
		"imports":            {public.New("google_takeout", nil), 0},
		"not in the table":   {named(public.New("my_own", nil)), 0},
		"installed":          {public.New("claude_code", hourly), 3600},
		"installed, without": {public.New("claude_code", &abi.Manifest{ConnectorID: "https://connectors.example.org/a", DisplayName: "A"}), 604_800},
		"given":              {named(public.Given(hourly)), 3600},
		"given, without":     {named(public.Given(&abi.Manifest{ConnectorKey: "claude_code", ConnectorID: "https://connectors.example.org/a", DisplayName: "A"})), 604_800},
		"learned before":     {public.Read([]byte(strings.ReplaceAll(string(before), "my_own", "claude-code"))), 604_800},
	} {
		got := int64(0)
		if p := parsed(t, c.m).Capabilities.RefreshPolicy; p != nil {
			got = *p.MaximumStalenessSeconds
		}
		if got != c.want {
			t.Errorf("%s: got %d seconds, want %d", name, got, c.want)
		}
	}
}

// The owner's manifest of a connector names and describes, and records widen what it says of types.
func TestTheOwnersManifestDescribes(t *testing.T) {
	t.Parallel()
	given := &abi.Manifest{ConnectorID: "https://connectors.example.org/slack", ConnectorKey: "slack", DisplayName: "Our Slack", Streams: []abi.Stream{
		{Name: "users", Description: "Who is there", Semantics: abi.SemanticsMutable, PrimaryKey: []string{"uid"}, ConsentTimeField: "seen",
			Schema: abi.Raw(`{"type":"object","additionalProperties":false,"properties":{"uid":{"type":"integer"},"name":{"type":["string","null"],"maxLength":3},"odd":{"type":7},"seen":{"$ref":"#/x"}}}`)},
		{Name: "damaged", Semantics: abi.SemanticsAppend, PrimaryKey: []string{"id"}, Schema: abi.Raw(`{"properties":[]}`)},
	}}
	m := public.Given(given)
	m.Record("users", "7", []byte(`{"uid":7,"name":["a long one"],"more":true}`), learnedAt)
	if want := []public.Drift{{Stream: "users", Field: "name", Known: []string{"string"}, Seen: []string{"array"}, At: learnedAt}}; !reflect.DeepEqual(m.Drift, want) {
		t.Errorf("drift: got %+v, want %+v", m.Drift, want)
	}
	got := parsed(t, m)
	users := got.Stream("users")
	if got.DisplayName != "Our Slack" || len(got.Streams) != 2 || users.Description != "Who is there" || !slices.Equal(users.PrimaryKey, []string{"uid"}) || users.ConsentTimeField != "seen" || !got.Stream("damaged").AppendOnly() {
		t.Errorf("got %+v, want what was given", got)
	}
	types := map[string][]string{}
	for name, p := range m.Streams[0].Schema.Properties {
		types[name] = p.Types
	}
	if want := map[string][]string{"uid": {"number"}, "name": {"array", "null", "string"}, "odd": nil, "seen": nil, "more": {"boolean"}}; !reflect.DeepEqual(types, want) {
		t.Errorf("types: got %v, want %v", types, want)
	}
}

// Records teach their key, and the types of their members as far as these were seen.
func TestRecordsTeach(t *testing.T) {
	t.Parallel()
	type record struct{ key, data string }
	for name, c := range map[string]struct {
		records []record
		key     []string
		types   map[string][]string
		widened []string
	}{
		"an id":              {[]record{{"1", `{"id":"1","n":1}`}}, []string{"id"}, map[string][]string{"id": {"string"}, "n": {"number"}}, nil},
		"a number":           {[]record{{"7", `{"id":7,"other_id":"7"}`}}, []string{"id"}, map[string][]string{"id": {"number"}, "other_id": {"string"}}, nil},
		"another field":      {[]record{{"x", `{"a":"x","user_id":"x"}`}}, []string{"user_id"}, map[string][]string{"a": {"string"}, "user_id": {"string"}}, nil},
		"two fields":         {[]record{{`["x","y"]`, `{"a":"y","b":"x"}`}}, []string{"b", "a"}, map[string][]string{"a": {"string"}, "b": {"string"}}, nil},
		"no field":           {[]record{{"x", `{"a":"y"}`}, {"y", `{"a":"y"}`}}, []string{"a"}, map[string][]string{"a": {"string"}}, nil},
		"a guess stands":     {[]record{{"x", `{"a":"x"}`}, {"y", `{"b":"y"}`}}, []string{"a"}, map[string][]string{"a": {"string"}, "b": {"string"}}, nil},
		"null first":         {[]record{{"1", `{"id":"1","n":null}`}, {"2", `{"id":"2","n":true}`}}, []string{"id"}, map[string][]string{"id": {"string"}, "n": {"boolean", "null"}}, nil},
		"another type":       {[]record{{"1", `{"id":"1","n":[]}`}, {"2", `{"id":"2","n":{}}`}}, []string{"id"}, map[string][]string{"id": {"string"}, "n": {"array", "object"}}, []string{"n"}},
		"damaged":            {[]record{{"1", `{"id":`}, {"1", `[]`}, {"1", ``}}, []string{"id"}, map[string][]string{"id": nil}, nil},
		"a name too long":    {[]record{{"1", `{"id":"1","` + strings.Repeat("n", 65) + `":1}`}}, []string{"id"}, map[string][]string{"id": {"string"}}, nil},
		"a key in brackets":  {[]record{{"[x", `{"id":"[x"}`}}, []string{"id"}, map[string][]string{"id": {"string"}}, nil},
		"no key but a list":  {[]record{{`[1]`, `{"id":"[1]"}`}}, []string{"id"}, map[string][]string{"id": {"string"}}, nil},
		"the same field not": {[]record{{`["x","x"]`, `{"a":"x","b":"x"}`}}, []string{"a", "b"}, map[string][]string{"a": {"string"}, "b": {"string"}}, nil},
	} {
		m := public.New("never heard of", nil)
		m.ConnectorKey, m.ConnectorID = "unheard", "unheard"
		for _, r := range c.records {
			m.Record("things", r.key, []byte(r.data), learnedAt)
		}
		var widened []string
		for _, d := range m.Drift {
			widened = append(widened, d.Field)
		}
		s := parsed(t, m).Stream("things")
		types := map[string][]string{}
		for name, p := range m.Streams[0].Schema.Properties {
			types[name] = p.Types
		}
		if !slices.Equal(s.PrimaryKey, c.key) || !reflect.DeepEqual(types, c.types) || !slices.Equal(widened, c.widened) {
			t.Errorf("%s: got the key %q, %v and widened %q; want %q, %v and %q", name, s.PrimaryKey, types, widened, c.key, c.types, c.widened)
		}
	}
}

// A field that drifts again is told once, with all that it was seen with, and the latest change comes first.
func TestDriftIsToldOnce(t *testing.T) {
	t.Parallel()
	m := public.New("ical", nil)
	for i, data := range []string{`{"id":"1","a":1,"b":"x"}`, `{"id":"1","a":"y","b":null}`, `{"id":"1","b":true}`, `{"id":"1","a":"y"}`, `{"id":"1","a":[]}`} {
		m.Record("events", "1", []byte(data), learnedAt.Add(time.Duration(i)*time.Hour))
	}
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	want := []public.Drift{
		{Stream: "events", Field: "a", Known: []string{"number"}, Seen: []string{"string", "array"}, At: learnedAt.Add(4 * time.Hour)},
		{Stream: "events", Field: "b", Known: []string{"string"}, Seen: []string{"boolean"}, At: learnedAt.Add(2 * time.Hour)},
	}
	if got := public.DriftIn(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := want[0].String(), `field "a" of stream "events" has another type than before: string and array, where it was number`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := public.DriftIn([]byte(`{"version":"1.0.0","x_drift":[{"field":"a"}]}`)); got != nil {
		t.Errorf("of a connector's own manifest: got %+v, want none", got)
	}
}

// wide is a schema of 3,000 members.
func wide(t *testing.T) []byte {
	t.Helper()
	properties := map[string]any{}
	for n := range 3000 {
		properties[fmt.Sprint("m", n)] = map[string]any{"type": "string"}
	}
	text, err := json.Marshal(map[string]any{"properties": properties})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// However many streams and members there are, the manifest can be read.
func TestWhatIsLearnedIsBounded(t *testing.T) {
	t.Parallel()
	m := public.New("ical", nil)
	for i := range 300 {
		var data strings.Builder
		for n := range 100 {
			fmt.Fprintf(&data, `,"%064d":[]`, n)
		}
		m.Record(fmt.Sprintf("stream_%d", i), "1", []byte(`{"id":"1"`+data.String()+`}`), learnedAt)
		m.Record(fmt.Sprintf("stream_%d", i), "1", []byte(`{"id":"1"`+strings.ReplaceAll(data.String(), "[]", "{}")+`}`), learnedAt)
	}
	got := parsed(t, m)
	if len(m.Drift) != 64 {
		t.Errorf("%d drifted fields are kept, want 64", len(m.Drift))
	}
	members := 0
	for _, s := range m.Streams {
		members += len(s.Schema.Properties)
	}
	if len(got.Streams) != 256 || members > 4096+256 {
		t.Errorf("%d streams and %d members, want 256 and at most %d", len(got.Streams), members, 4096+256)
	}
	given := &abi.Manifest{ConnectorID: "https://example.org/c", ConnectorKey: "ical", DisplayName: "C", Streams: []abi.Stream{{Name: "events", Semantics: abi.SemanticsMutable, PrimaryKey: []string{"id"}, Schema: wide(t)}}}
	for _, m := range []*public.Manifest{public.New("ical", nil), public.Given(given)} {
		for _, value := range []string{"[]", "{}", `""`, "1", "true", "null"} {
			var data strings.Builder
			for n := range 3000 {
				fmt.Fprintf(&data, `,"m%d":%s`, n, value)
			}
			m.Record("events", "1", []byte(`{"id":"1"`+data.String()+`}`), learnedAt)
		}
		if err := boundary.CheckSchemas(parsed(t, m)); err != nil {
			t.Errorf("a stream of 3,000 members: got %v, want a schema that can be used", err)
		}
	}
	if m.Name("Not-A-Name") || m.Name("one_more") || !m.Name("stream_1") {
		t.Error("a stream of a name that none may have, or beyond the bound, was taken, or a known one was not")
	}
}
