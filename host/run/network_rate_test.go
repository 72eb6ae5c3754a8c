package run

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// learningSender learns something with every request.
type learningSender struct{ *fakeSender }

func (l learningSender) Open(ctx context.Context, s SendRun) (Sending, error) {
	_, err := l.fakeSender.Open(ctx, s)
	return l, err
}

func (l learningSender) Learned(stream string, _ []string, cursor abi.Raw) (abi.Raw, error) {
	if stream != "notes" {
		return cursor, nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(cursor, &fields); err != nil {
		return nil, err
	}
	fields["pacing_interval_ms"] = 1000 - 100*l.Counts().Sent
	return json.Marshal(fields)
}

// RT-26.1: a run hands on the rate of its end, also when the stream that keeps the rate
// is the first to commit, and when the run fails.
func TestTheLastRateIsKept(t *testing.T) {
	t.Parallel()
	for end, script := range map[string]string{
		"succeeded": done(0), "failed": "\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"x","message":"x","retryable":true}}`,
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\nhello" }}
			h := newHost(t, setup{sender: learningSender{f}})
			res := h.mustPlay(get + slice("notes", `{"at":1}`) + "\n" + get + slice("journal", `{"at":2}`) + "\n" + get + script)
			if res.Status != end || len(f.requests) != 3 {
				t.Fatalf("got %s after %d requests, want %s after 3", res.Status, len(f.requests), end)
			}
			if h.cursor("notes") != `{"at":1,"pacing_interval_ms":700}` || h.cursor("journal") != `{"at":2}` {
				t.Errorf("got cursors %s and %s, want the last rate, 700, on that of notes alone", h.cursor("notes"), h.cursor("journal"))
			}
			// A cursor that the outcome commits has the last rate anyway, and is newer.
			res = h.mustPlay(get + slice("notes", `{"at":3}`) + "\n" + get + state("notes", `{"at":4}`) + "\n" + get + script)
			want := map[string]string{"succeeded": `{"at":4,"pacing_interval_ms":400}`, "failed": `{"at":3,"pacing_interval_ms":400}`}[end]
			if res.Status != end || h.cursor("notes") != want {
				t.Errorf("got %s with cursor %s, want %s with %s", res.Status, h.cursor("notes"), end, want)
			}
		})
	}
}
