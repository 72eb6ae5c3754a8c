package grant

import (
	"fmt"
	"strings"
	"testing"
)

// RD-31.2, RD-32.2: a preset becomes the streams that the declaration says, as if the client had
// asked for each, and stays named beside them. One that the declaration lacks, that names a
// connection or that has a part nobody here reads is none.
func TestPresets(t *testing.T) {
	t.Parallel()
	have := declared(strings.Replace(notesManifest, `"streams":[`, `"selection_presets":[
{"id":"reading","label":"Reading","streams":[{"name":"notes","view":"short"},{"name":"tags"},{"name":"plain","necessity":"optional"}]},
{"id":"gone","streams":[{"name":"gone"}]},{"id":"twice","streams":[{"name":"notes"},{"name":"notes"}]},{"id":"empty","streams":[]},{"id":"none"},
{"id":"newer","streams":[{"name":"notes","only":"mine"}]},{"id":"theirs","streams":[{"name":"notes","instance_ids":["c1"]}]}],"streams":[`, 1), Connection{"c1", "mine", "m1"})
	asksFor := func(id string) string {
		return strings.Replace(asks, `"streams":[{"name":"notes"}]`, fmt.Sprintf(`"selection_preset":%q`, id), 1)
	}
	for choice, want := range map[string]string{"": "notes[id title] tags[a b]", "plain": "notes[id title] tags[a b] plain[x]"} {
		c := Choices{}
		if choice != "" {
			c.Optional = []string{choice}
		}
		r := resolved(t, asksFor("reading"), c, have)
		doc, text, err := r.Grant("grt_1", noon)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range doc.Streams {
			got = append(got, fmt.Sprint(doc.Streams[i].Name, doc.Streams[i].Fields))
		}
		if strings.Join(got, " ") != want || value(r.SelectionPreset) != "reading" || !strings.Contains(string(text), `"selection_preset":"reading"`) {
			t.Errorf("with %q: got %s, want %s of the preset reading", choice, text, want)
		}
		if _, err := ReadDocument(text, Hash(text)); err != nil {
			t.Errorf("with %q: got %v, want the document to be read again", choice, err)
		}
	}
	for _, id := range []string{"gone", "twice", "empty", "none", "newer", "theirs", "other"} {
		err := Check(parsed(t, asksFor(id)), []Declared{have})
		if got, ok := param(err); !ok || got != "/0/selection_preset" {
			t.Errorf("%s: got %v, want a refusal of /0/selection_preset", id, err)
		}
	}
	_, err := ParseDetails([]byte(asksFor("a\u202eb")))
	if got, ok := param(err); !ok || got != "/0/selection_preset" {
		t.Errorf("a name with bidi characters: got %v, want a refusal of /0/selection_preset", err)
	}
}
