package run

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// waitingSender delays each answer, and looks at the store before it gives one.
type waitingSender struct {
	*fakeSender

	look func()
}

func (w waitingSender) Open(ctx context.Context, s SendRun) (Sending, error) {
	_, err := w.fakeSender.Open(ctx, s)
	return w, err
}

func (w waitingSender) Do(ctx context.Context, request []byte, reply func([]byte)) {
	w.fakeSender.Do(ctx, request, func(answer []byte) {
		time.Sleep(writeEvery + time.Second)
		w.look()
		reply(answer)
	})
}

// While a guest waits for an answer, its records and the bytes that it sent are written,
// so that a kill of the host costs seconds. The outcome does not count them again.
func TestWhatWaitsIsWrittenByTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h *host
		var keys []string
		var sent []int64
		ledger := func() storage.Destination {
			list, err := h.store.Destinations(t.Context(), "scripted")
			if err != nil || len(list) > 1 {
				t.Errorf("got destinations %v (%v), want one at most", list, err)
			}
			if len(list) == 0 {
				return storage.Destination{}
			}
			return list[0]
		}
		f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\nhello" }}
		h = newHost(t, setup{sender: waitingSender{f, func() {
			keys, sent = append(keys, h.keys("notes")), append(sent, ledger().Requests)
		}}})
		h.succeed("records notes 0 1\n" + get + "\nrecords notes 1 2\n" + get + "\nrecords notes 2 3" + done(3))
		if len(keys) != 2 || keys[0] != "notes-0" || keys[1] != "notes-0 notes-1" {
			t.Errorf("records in the store before each answer: %q, want notes-0, then notes-0 and notes-1", keys)
		}
		if len(sent) != 2 || sent[0] != 1 || sent[1] != 2 {
			t.Errorf("requests in the ledger before each answer: %d, want 1, then 2", sent)
		}
		if d := ledger(); d.Requests != 2 || d.BytesOut != 5 || d.Host != "api.example.com:443" || h.keys("notes") != "notes-0 notes-1 notes-2" {
			t.Errorf("at the end: %+v and records %q, want 2 requests of 5 bytes, and all three", d, h.keys("notes"))
		}
	})
}
