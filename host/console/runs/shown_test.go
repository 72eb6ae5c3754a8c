package runs

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// The page of a run cuts the data of an event behind a whole character.
func TestSaidIsCutToWholeCharacters(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "a"} {
		text := `{"message":"` + before + strings.Repeat("é", mostSaid) + `"}`
		got := saidBy(&owner.Event{Data: json.RawMessage(text)})
		cut, short := strings.CutSuffix(got, "…")
		if !utf8.ValidString(got) || !short || len(cut) < mostSaid-1 || !strings.HasPrefix(text, cut) {
			t.Errorf("got %q, want the first %d bytes of whole characters of %q", got, mostSaid, text[:20])
		}
	}
}
