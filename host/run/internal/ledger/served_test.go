package ledger

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A served gap is found by its id and by what it is about, with what earlier runs left of it.
func TestServedGapsAreFound(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "rooms"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}},
		abi.Stream{Name: "files", ParentStreams: []string{"chats", "rooms"}})
	s := NewServed()
	message, file, again := Gap{"messages", "chats", "a"}, Gap{"files", "chats", "a"}, Gap{"files", "rooms", "a"}
	s.Add("g1", message, LeftBefore{Failures: 2, Reason: "r"})
	s.Add("g2", file, LeftBefore{})
	s.Add("g3", again, LeftBefore{Failures: 1})
	bare, named := Gap{"messages", "", "both"}, Gap{"messages", "chats", "both"} // of a version that named no parent, and of this one
	s.Add("g5", bare, LeftBefore{})
	s.Add("g6", named, LeftBefore{})
	former := Gap{"calls", "chats", "a"} // of a stream that this version does not declare
	s.Add("g7", former, LeftBefore{})
	for id, want := range map[string]Gap{"g1": message, "g2": file, "g3": again} {
		if got, served := s.ByID(id); !served || got != want {
			t.Errorf("%s: got %v, served %v, want %v", id, got, served, want)
		}
	}
	if got, served := s.ByID("g4"); served || got != (Gap{}) {
		t.Errorf("got %v, served %v, want no gap of an id that was not served", got, served)
	}
	if left, served := s.Left(message); !served || left.Failures != 2 || left.Reason != "r" {
		t.Errorf("got %+v, served %v, want what was left", left, served)
	}
	if _, served := s.Left(Gap{"messages", "", "a"}); served {
		t.Error("got a gap that names no parent served as it stands, want it found first")
	}
	for _, tc := range []struct{ of, want Gap }{
		{Gap{"messages", "", "a"}, message}, {message, message}, {Gap{"messages", "rooms", "a"}, message},
		{Gap{"messages", "", "b"}, Gap{"messages", "", "b"}}, {Gap{"files", "", "a"}, Gap{"files", "", "a"}}, {again, again}, {bare, bare}, {named, named}, {Gap{"messages", "rooms", "both"}, bare},
		{former, former}, {Gap{"calls", "", "a"}, former},
	} {
		if got := s.Find(tc.of, m); got != tc.want {
			t.Errorf("%v: got %v, want %v", tc.of, got, tc.want)
		}
	}
}

// The last record of a served gap counts, of its own key or of one of its parts, whatever parent
// it was served for; a record of another detail, or before the gap was served, does not.
func TestServedGapsFollowTheirLastRecord(t *testing.T) {
	t.Parallel()
	s := NewServed()
	gap, other := Gap{"messages", "chats", "a"}, Gap{"messages", "rooms", "a"}
	s.Arrived("messages", []byte("a"), GoodArrival)
	s.Add("g1", gap, LeftBefore{})
	if got := s.Last(gap); got != NoArrival {
		t.Errorf("before it was served: got %v, want none", got)
	}
	for _, tc := range []struct {
		stream, key string
		as, want    Arrival
	}{
		{"files", "a", GoodArrival, NoArrival}, {"messages", "b", GoodArrival, NoArrival}, {"messages", "ab:1", GoodArrival, NoArrival}, {"messages", "a:", GoodArrival, GoodArrival},
		{"messages", "a:1", RejectedArrival, RejectedArrival}, {"messages", "a:1:2", GoodArrival, GoodArrival}, {"messages", "a", RejectedArrival, RejectedArrival}, {"messages", "b:a", GoodArrival, RejectedArrival},
	} {
		if s.Arrived(tc.stream, []byte(tc.key), tc.as); s.Last(gap) != tc.want {
			t.Errorf("behind %s %s: got %v, want %v", tc.stream, tc.key, s.Last(gap), tc.want)
		}
	}
	s.Add("g2", other, LeftBefore{})
	if s.Last(gap) != RejectedArrival || s.Last(other) != RejectedArrival {
		t.Errorf("served for another parent: got %v and %v, want the record known for both", s.Last(gap), s.Last(other))
	}
}

// A stream that the manifest does not have has no lane, neither open nor closed.
func TestUnknownStreamsHaveNoLane(t *testing.T) {
	t.Parallel()
	l := lanes()
	if err := l.AddCoverage(report("messages", "chats", nil, nil, nil)); err != nil {
		t.Fatal(err)
	}
	if l.HasLane("ghost") || l.LaneClosed("ghost") || l.Covers("chats", "ghost") {
		t.Error("got a lane of a stream that is not there, want none")
	}
	if !l.HasLane("messages") || l.HasLane("chats") || !l.LaneClosed("messages") || l.LaneClosed("files") {
		t.Error("got other lanes than that of messages closed, want that alone")
	}
	if err := l.AddCoverage(report("other", "other", []string{"a"}, []string{"a"}, nil)); err != nil {
		t.Fatal(err)
	}
	if !l.LaneClosed("other") || l.LaneClosed("chats") {
		t.Error("got other flat streams closed than the one that was accounted for, want that alone")
	}
	if !l.Covers("chats", "messages") || l.Covers("messages", "chats") || !l.Covers("ghost", "ghost") {
		t.Error("got another stream covered, want the list's cursor to cover its details")
	}
}

// A backlog's key is told from that of a record, and the details of a key are its parts.
func TestKeysOfDetails(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{abi.BacklogKeyPrefix("messages") + "x": true, abi.BacklogKeyPrefix("files") + "x": false, "a": false, "": false} {
		if got := (Gap{Stream: "messages", Key: key}).Backlog(); got != want {
			t.Errorf("%q: got a backlog %v, want %v", key, got, want)
		}
	}
	for key, want := range map[string][]string{"a": {"a"}, "a:b:c": {"a", "a:b", "a:b:c"}, ":a": {"", ":a"}, "a:": {"a", "a:"}} {
		var got []string
		for detail := range detailsOf(key) {
			got = append(got, detail)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
	for range detailsOf("a:b:c") {
		break // the rest is not asked for
	}
}
