package run

import "testing"

// Invariant 13: a record that its owner has deleted stays deleted when its connector gives it another key, also on an append-only
// stream.
func TestADeletedRecordIsGivenAnotherKey(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"notes", "journal"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			h.mustPlay("records " + stream + " 0 2" + done(2))
			if err := h.store.EraseRecord(t.Context(), "scripted", stream, stream+"-1"); err != nil {
				t.Fatal(err)
			}
			moved := func(n, to string) string {
				return `emit {"type":"RECORD","stream":"` + stream + `","key":"` + to + `","moved_from":"` + stream + `-` + n + `","data":{"id":"` + to + `"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
			}
			res := h.mustPlay(moved("0", "a") + moved("1", "b") + done(2))
			if got := res.Records[stream]; got.New != 1 || got.Deleted != 1 || got.Suppressed != 1 {
				t.Errorf("got %+v, want one new, one deleted, and one that its owner has deleted", got)
			}
			if got := h.keys(stream); got != "a" {
				t.Errorf("got %q, want a alone", got)
			}
		})
	}
}

// A record that fails its schema leaves the one that it was, and what its owner has deleted of others.
func TestARejectedRecordLeavesTheEarlierOne(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("records notes 0 2" + done(2))
	if err := h.store.EraseRecord(t.Context(), "scripted", "notes", "notes-1"); err != nil {
		t.Fatal(err)
	}
	moved := func(n, data string) string {
		return `emit {"type":"RECORD","stream":"notes","key":"new-` + n + `","moved_from":"notes-` + n + `","data":{"id":"new-` + n + `"` + data + `},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
	}
	h.mustPlay(moved("0", `,"text":1`) + moved("1", `,"text":1`) + done(2))
	if got := h.keys("notes"); got != "notes-0" {
		t.Errorf("got %q, want notes-0 alone", got)
	}
	h.mustPlay(moved("0", "") + moved("1", "") + done(2))
	if got := h.keys("notes"); got != "new-0" {
		t.Errorf("got %q, want new-0 alone", got)
	}
}
