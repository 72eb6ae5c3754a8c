package db

import (
	"encoding/binary"
	"testing"
)

// No deletion gets the number of one before it, so that a pass that began before a deletion does
// not stand for it.
func TestDeletionsAreNumberedForGood(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), opened(t)
	for want := range int32(5) {
		err := d.Alone(ctx, "delete", func(t *Tx) error {
			t.Erased = true
			return nil
		})
		if err == nil {
			err = d.overwriteUnused(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.deletionMark(ctx); got != -(want+1) || err != nil {
			t.Errorf("got mark %d and %v behind deletion %d and a pass, want %d", got, err, want+1, -(want + 1))
		}
	}
}

// A page of any bytes has its list of cells before its unused room, and its cells behind it.
func FuzzUnusedRoom(f *testing.F) {
	leaf := make([]byte, 512)
	leaf[0] = 13
	binary.BigEndian.PutUint16(leaf[3:], 2)   // cells
	binary.BigEndian.PutUint16(leaf[5:], 400) // where they begin
	f.Add(leaf, int64(2))
	f.Add(leaf[:100], int64(2))
	f.Add(append(make([]byte, 100), leaf...), int64(1))
	f.Fuzz(func(t *testing.T, page []byte, number int64) {
		room := unusedRoom(page, number)
		if len(room) == 0 {
			return
		}
		head := 0
		if number == 1 {
			head = 100
		}
		from := cap(page) - cap(room)
		list := from - 2*int(binary.BigEndian.Uint16(page[head+3:]))
		if list != head+8 && list != head+12 || from+len(room) != int(binary.BigEndian.Uint16(page[head+5:])) {
			t.Errorf("got bytes %d to %d of a page of %d, want those between its list and its cells", from, from+len(room), len(page))
		}
	})
}
