package boundary

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const messageSchema = `{
	"type":"object",
	"properties":{
		"id":{"type":"string","minLength":1,"x_pdpp_role":"key"},
		"session_id":{"type":"string","format":"uuid"},
		"parent_id":{"type":["string","null"]},
		"role":{"type":"string","enum":["user","assistant","system"]},
		"kind":{"type":"string"},
		"content":{"type":["string","null"],"maxLength":5000,"description":"the text"},
		"created_at":{"type":"string","format":"date-time","x_pdpp_type":"timestamp"},
		"model":{"type":["string","null"]},
		"input_tokens":{"type":["integer","null"],"minimum":0},
		"output_tokens":{"type":["integer","null"],"minimum":0},
		"cost":{"type":["number","null"]},
		"is_sidechain":{"type":"boolean"}},
	"required":["id","created_at"],
	"additionalProperties":false}`

// manifest has one stream of each kind that the rules tell apart.
func manifest() *abi.Manifest {
	return &abi.Manifest{Streams: []abi.Stream{
		{
			Name: "messages", Schema: abi.Raw(messageSchema), PrimaryKey: []string{"id"},
			Semantics: abi.SemanticsMutable, ConsentTimeField: "created_at",
			Selection: abi.Selection{Fields: true, Resources: true, ResourceField: "session_id"},
		},
		{
			Name: "tops", Schema: abi.Raw(`{"type":"object","properties":{"id":{},"range":{}}}`),
			PrimaryKey: []string{"id", "range"}, Semantics: abi.SemanticsMutable,
		},
		{Name: "stats", Schema: abi.Raw(`{"type":"object"}`), PrimaryKey: []string{"id"}, Semantics: abi.SemanticsAppend},
		{Name: "log", Schema: abi.Raw(`{"type":"object"}`), PrimaryKey: []string{"id"}, Semantics: abi.SemanticsAppendOnly},
		{
			Name: "posts", Schema: abi.Raw(`{"type":"object"}`), PrimaryKey: []string{"id"}, Semantics: abi.SemanticsMutable,
			Selection: abi.Selection{ResourceField: "channel_id", ResourceFieldScope: true},
		},
		{Name: "hidden", Schema: abi.Raw(`{"type":"object"}`), PrimaryKey: []string{"id"}, Semantics: abi.SemanticsMutable},
	}}
}

func scope(names ...string) abi.Scope {
	var s abi.Scope
	for _, name := range names {
		s.Streams = append(s.Streams, abi.StreamScope{Name: name})
	}
	return s
}

func gate(t testing.TB, s abi.Scope) *Gate {
	t.Helper()
	g, err := New(manifest(), s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func allStreams() abi.Scope { return scope("messages", "tops", "stats", "log", "posts") }

// codeOf returns the code of err, which must be an *abi.Error, or "" for none.
func codeOf(t testing.TB, err error) abi.Code {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *abi.Error
	if !errors.As(err, &e) || e.Message == "" || e.Hint == "" {
		t.Fatalf(`%#v is no complete *abi.Error, want errors.As(err, &e) && e.Message != "" && e.Hint != ""`, err)
	}
	return e.Code
}
