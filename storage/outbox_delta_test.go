package storage

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

// hostReads is how many values, members' names among them, a host reads at a time:
// host/boundary's tape. Text of more is refused for good.
const hostReads = 1 << 20

// dense is a cursor of n values besides itself, its member and that one's name, in as
// few bytes as they can take.
func dense(n int) []byte { return []byte(`{"n":[` + strings.Repeat("0,", n-1) + `0]}`) }

// valuesIn counts what a host counts of a JSON text.
func valuesIn(text []byte) (n int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '}', ']', ',', ':':
			continue
		case '{', '[':
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		default:
			i += bytes.IndexAny(text[i:], ",]}") - 1
		}
		n++
	}
	return n
}

// sent delivers everything, holds each delivery to what a host reads at a time, and
// returns the cursors by how they went.
func (x *laneFixture) sent() (atEnd, alone map[string]json.RawMessage) {
	x.Helper()
	alone = map[string]json.RawMessage{}
	for {
		items := x.claim("h", 1)
		if len(items) == 0 {
			return atEnd, alone
		}
		i := &items[0]
		if n := valuesIn(i.Body("dev", "con")); n > hostReads {
			x.Errorf("a %s: got %d values, want at most %d, as many as a host reads", i.Kind, n, hostReads)
		}
		switch i.Kind {
		case KindCheckpoint:
			var c device.StateCommit
			x.ok(json.Unmarshal(i.Payload, &c))
			x.same(len(c.State), 1)
			maps.Copy(alone, c.State)
		case KindRunCommit:
			var c device.RunCommit
			x.ok(json.Unmarshal(i.Payload, &c))
			atEnd = c.StateDelta
		}
		x.ok(x.s.Acknowledge(x.Context(), i))
	}
}

// A host refuses an end of more values than it reads at a time, and a refused end
// holds the lane for good. Cursors of many values therefore go by themselves, each as
// large as a guest may make it, and the next run begins from them all the same.
func TestCursorsOfManyValuesGoByThemselves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b  []byte
		atEnd bool
	}{
		"together more than a host reads":   {dense(600_000), dense(600_000), false},
		"the largest that a guest may send": {dense(hostReads - 9), []byte(`{}`), false}, // with its STATE around it
		"half of what a host reads":         {dense(outbox.MaxDelta/4 - 4), dense(outbox.MaxDelta/4 - 4), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newLane(t)
			w := x.begin("c")
			x.finish(w, StateCommit{Stream: "a", Cursor: c.a}, StateCommit{Stream: "b", Cursor: c.b})
			atEnd, alone := x.sent()
			if c.atEnd {
				x.same([]int{len(atEnd), len(alone)}, []int{2, 0})
			} else {
				x.same([]int{len(atEnd), len(alone)}, []int{0, 2})
			}
			state := x.begin("c").State()
			x.same([]bool{bytes.Equal(state["a"], c.a), bytes.Equal(state["b"], c.b)}, []bool{true, true})
		})
	}
}

// The end that stays has room for all that an outcome may say besides: every known gap
// with diagnostics of as many values as its bound of 8 KiB holds.
func TestAnEndHasRoomForItsOutcome(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	gap := `{"kind":"skip","reason":"r","severity":"recoverable","stream":"a","message":"m","recovery_hint":"unknown","diagnostics":[` +
		strings.Repeat("0,", 4<<10-2) + `0],"count":1}`
	x.ok(w.Finish(t.Context(), Outcome{
		Status: "succeeded", KnownGaps: []byte("[" + strings.Repeat(gap+",", 50) + gap + "]"),
		Checkpoints: []StateCommit{{Stream: "a", Cursor: dense(outbox.MaxDelta/2 - 8)}},
	}))
	atEnd, alone := x.sent()
	x.same([]int{len(atEnd), len(alone)}, []int{1, 0})
}
