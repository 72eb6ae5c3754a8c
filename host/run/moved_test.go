package run

import "testing"

// Invariant 13: a record that its owner has deleted stays deleted when its connector gives it another key.
func TestADeletedRecordIsGivenAnotherKey(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("records notes 0 2" + done(2))
	if err := h.store.EraseRecord(t.Context(), "scripted", "notes", "notes-1"); err != nil {
		t.Fatal(err)
	}
	moved := func(from, to string) string {
		return `emit {"type":"RECORD","stream":"notes","key":"` + from + `","op":"delete","moved_to":"` + to + `"}` + "\n" +
			`emit {"type":"RECORD","stream":"notes","key":"` + to + `","data":{"id":"` + to + `"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
	}
	res := h.mustPlay(moved("notes-0", "a") + moved("notes-1", "b") + done(4))
	if got := res.Records["notes"]; got.New != 1 || got.Deleted != 1 || got.Suppressed != 1 {
		t.Errorf("got %+v, want one new, one deleted, and one that its owner has deleted", got)
	}
	if got := h.keys("notes"); got != "a" {
		t.Errorf("got %q, want a alone", got)
	}
}
