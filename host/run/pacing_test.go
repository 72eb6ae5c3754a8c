package run

import (
	"context"
	"encoding/json"
	"testing"
)

// learningSender learns something with every request.
type learningSender struct{ *fakeSender }

func (l learningSender) Open(ctx context.Context, s SendRun) (Sending, error) {
	_, err := l.fakeSender.Open(ctx, s)
	return l, err
}

func (l learningSender) Learned(stream string, cursor []byte) ([]byte, error) {
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

// RT-26.1: the rate that a run hands on is the one of its end, also when the
// stream that keeps it is the first to commit, and when the run fails.
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
				t.Fatalf("%+v", res)
			}
			if h.cursor("notes") != `{"at":1,"pacing_interval_ms":700}` || h.cursor("journal") != `{"at":2}` {
				t.Errorf("%s %s", h.cursor("notes"), h.cursor("journal"))
			}
			// A cursor that the end commits has it anyway, and is the newer one.
			res = h.mustPlay(get + slice("notes", `{"at":3}`) + "\n" + get + state("notes", `{"at":4}`) + "\n" + get + script)
			want := map[string]string{"succeeded": `{"at":4,"pacing_interval_ms":400}`, "failed": `{"at":3,"pacing_interval_ms":400}`}[end]
			if res.Status != end || h.cursor("notes") != want {
				t.Errorf("%s, want %s", h.cursor("notes"), want)
			}
		})
	}
}
