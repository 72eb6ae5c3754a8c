package send

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
	"time"
)

// A wait is reported when it begins, with its cause: the text of a progress display
// during the wait.
func TestHold(t *testing.T) {
	t.Parallel()
	var events []Event
	b := newBed(t, named(), func(d *Deps) {
		d.Observe = func(e Event) {
			if e.Kind == EventHold || e.Kind == EventBackoff {
				events = append(events, e)
			}
		}
	})
	b.ok(1)
	b.script(says{status: http.StatusTooManyRequests, headers: "Retry-After: 9"}, says{})
	b.ok(1)
	b.script(unwell, says{})
	b.ok(1)
	var told, own int
	for _, e := range events {
		switch {
		case e.Duration <= 0:
			t.Errorf("got %+v, want a duration above zero", e)
		case e.Told && e.Kind == EventBackoff && e.Duration == 9*time.Second:
			told++
		case !e.Told:
			own++
		}
	}
	if told != 1 || own < 3 || events[0].Kind != EventHold || events[0].Duration != time.Second {
		t.Errorf("got %+v, want told == 1 && own >= 3 && events[0].Kind == EventHold && events[0].Duration == time.Second", events)
	}
	b.script(says{headers: "X-Ratelimit-Limit: 5\nX-Ratelimit-Remaining: 0\nX-Ratelimit-Reset: 60"}, says{})
	b.ok(1)
	events = nil
	b.ok(1)
	if len(events) != 1 || !events[0].Told || events[0].Kind != EventHold {
		t.Errorf("a quota's wait: %+v, want len(events) == 1 && events[0].Told && events[0].Kind == EventHold", events)
	}
}

// The answer says where it came from.
func TestAnswerURL(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(1), nil)
	b.script(says{status: http.StatusFound, headers: "Location: /there?a=1"}, says{})
	resp, err := b.get("/here")
	if err != nil || resp.URL.String() != "https://api.example/there?a=1" {
		t.Errorf(`got %v %v, want no error && resp.URL.String() == "https://api.example/there?a=1"`, resp, err)
	}
}

// A length that was announced is a hint: the body is whole whether it is true
// or not.
func TestReadAll(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 1, 511, 512, 4096, 5000} {
		whole := bytes.Repeat([]byte("x"), length)
		for _, announced := range []int64{-1, 0, 1, 512, 4095, 4096, 4097, trusted + 1, 1 << 62} {
			for name, r := range map[string]io.Reader{
				"plain": bytes.NewReader(whole), "slow": iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(whole))),
			} {
				got, err := readAll(r, announced)
				if err != nil || !bytes.Equal(got, whole) {
					t.Errorf("%s, %d announced as %d: %d, %v, want no error && bytes.Equal(got, whole)", name, length, announced, len(got), err)
				}
			}
		}
		if got, err := readAll(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(whole))), int64(length)); length > 1 && (err == nil || len(got) != 1) {
			t.Errorf("%d bytes and %v, want length <= 1 || err != nil && len(got) == 1", len(got), err)
		}
	}
}
