package declaration

import (
	"slices"
	"testing"
)

const manifest = `{"streams":[{"name":"notes","semantics":"mutable_state","cursor_field":"at","consent_time_field":"made",
"schema":{"required":["id"],"properties":{"id":{"type":"string"},"at":{"type":["string","null"],"format":"date-time"},"made":{"type":"string","format":"date"},
"n":{"type":"integer"},"ok":{"type":"boolean"},"either":{"anyOf":[{"type":"number"},{"type":"null"}]},"many":{"type":["string","number"]},"list":{"type":"array"},"any":true}},
"query":{"search":{"lexical_fields":["id","gone","id"]},"range_filters":{"n":["gte"],"id":["gte"],"at":["lt"]},
"aggregations":{"count":true,"sum":["n"],"group_by_time":["at"]}},
"primary_key":["id"],"views":[{"id":"short","fields":["id","n"]}],"selection":{"fields":true,"resources":false}},{"name":"bare","query":{"aggregations":[1]}}]}`

func TestRead(t *testing.T) {
	t.Parallel()
	all := Read([]byte(manifest))
	if len(all) != 2 || all[1].Name != "bare" || all[1].Fields != nil {
		t.Fatalf("got %+v, want notes and bare", all)
	}
	s := &all[0]
	want := []Field{
		{"id", Text, true}, {"at", DateTime, false}, {"made", Date, false}, {"n", Number, false}, {"ok", Boolean, false},
		{"either", Number, false}, {"many", Other, false}, {"list", Other, false}, {"any", Other, false},
	}
	if !slices.Equal(s.Fields, want) {
		t.Errorf("got %v, want %v", s.Fields, want)
	}
	if s.CursorField != "at" || s.ConsentTimeField != "made" || s.Semantics != "mutable_state" {
		t.Errorf("got %+v", s)
	}
	// A field that the schema lacks is not searched, and a text has no bounds (RD-17.2).
	if !slices.Equal(s.Lexical, []string{"id"}) || !slices.Equal(s.Range, []string{"at", "n"}) {
		t.Errorf("got %v and %v, want [id] and [at n]", s.Lexical, s.Range)
	}
}

// A stream lets everything be chosen that its declaration does not rule out.
func TestChoices(t *testing.T) {
	t.Parallel()
	all := Read([]byte(manifest))
	s, bare := &all[0], &all[1]
	if s.WholeRecords || !s.EveryRecord || bare.WholeRecords || bare.EveryRecord {
		t.Errorf("got %+v and %+v, want the records of the first alone not to be chosen", s, bare)
	}
	if !slices.Equal(s.PrimaryKey, []string{"id"}) || len(s.Views) != 1 || s.Views[0].ID != "short" || !slices.Equal(s.Views[0].Fields, []string{"id", "n"}) {
		t.Errorf("got the key %v and the views %v, want id and short", s.PrimaryKey, s.Views)
	}
	if a := &s.Aggregates; !slices.Equal(a.Sum, []string{"n"}) || !slices.Equal(a.GroupByTime, []string{"at"}) || a.GroupBy != nil || bare.Aggregates.Sum != nil {
		t.Errorf("got %+v and %+v, want a sum of n by at, and nothing of what cannot be read", s.Aggregates, bare.Aggregates)
	}
	if len(s.Schema) == 0 || bare.Schema != nil {
		t.Errorf("got the schemas %s and %s, want the first alone", s.Schema, bare.Schema)
	}
	got := SourceOf([]byte(`{"connector_id":"https://x/c","connector_key":"c","display_name":"C","version":"1.2"}`))
	if want := (Source{"https://x/c", "c", "C", "1.2"}); got != want || SourceOf([]byte(`{"connector_id":1}`)) != (Source{}) {
		t.Errorf("got %+v, want %+v, and nothing of what cannot be read", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(manifest))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range Read(b) {
			for _, name := range s.Lexical {
				if s.Field(name) == nil {
					t.Errorf("%q is searched, and is no field", name)
				}
			}
		}
	})
}
