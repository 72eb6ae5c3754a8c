package runs

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSaysNothing(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bool{
		``: true, `{}`: true, `{"message":"reading"}`: false, `{"message":"","count":3}`: false, `[`: false,
	} {
		if got := saysNothing(owner.Event{Type: "run.progress_reported", Data: json.RawMessage(data)}); got != want {
			t.Errorf("%q: %v", data, got)
		}
	}
	if saysNothing(owner.Event{Type: "run.completed"}) {
		t.Error("another event is shown")
	}
}

func TestUncollected(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		``:   "-",
		`{}`: "-",
		`{"known_gaps":[{"kind":"skip","count":1}]}`:                                                      "1 gap",
		`{"known_gaps":[{"kind":"rejected_record","count":2}],"records_by_stream":{}}`:                    "-",
		`{"known_gaps":[{"kind":"skip","count":2}],"gaps":[{"stream":"a","reason":"x","status":"open"}]}`: "3 gaps",
		`[`: "unknown",
	} {
		if got := uncollected(&owner.Run{Result: []byte(result)}); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}
