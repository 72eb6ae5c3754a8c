package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Reasons of SKIP_RESULT.
const (
	problemUnreadable = "spotify_item_unreadable"
	problemEmpty      = "spotify_items_empty"
	problemUnstable   = "spotify_list_unstable"
	problemLost       = "spotify_plays_lost"
	problemForeign    = "spotify_plays_of_another_account"
	problemOverflow   = "cursor_reduced"
)

// trackedList is a stream whose list is compared as a whole: a row that the list no longer
// has was removed.
type trackedList struct {
	*api

	stream  string
	ledger  *ledger
	builder builder

	taken      int // rows met in this run
	unsaved    int // bytes emitted since the last slice
	pages      int // pages since the last slice
	cursorSize int // of the last slice's cursor
	unreadable int // rows that have no id
	empty      int // rows that are null
	unstable   bool
}

func newTrackedList(a *api, stream string) *trackedList {
	return &trackedList{api: a, stream: stream, ledger: a.openLedger(stream)}
}

// list is one list of a trackedList, and how its rows become records.
type list struct {
	first string // the first page
	part  string // begins each row's key in the ledger
	// ranked marks a ranking: its length proves nothing.
	ranked bool
	// resumes lets a run continue at the page where an earlier one was broken off.
	resumes bool
	// row writes the record of one row, the nth from 1, to d, and returns its
	// id; "" when it has none.
	row func(d *builder, item jsonvalue.Value, n int) (id string)
	// key is the record's key, by primary_key.
	key func(id string) []string
}

// emitRow emits a row if it differs from the emitted one. It returns the row's key in the
// ledger, "" when it has none, and whether it was unknown.
func (s *trackedList) emitRow(l *list, item jsonvalue.Value, n int) (key string, fresh bool, err error) {
	s.taken++
	if item.IsNull() {
		s.empty++
		return "", false, nil
	}
	s.builder.reset()
	id := l.row(&s.builder, item, n)
	if !goodID(id) {
		s.unreadable++
		return "", false, nil
	}
	key = l.part + id
	data, sum := s.builder.end()
	before, known := s.ledger.known[key]
	s.ledger.set(key, sum)
	if known && before == sum && sum != 0 {
		return key, false, nil
	}
	s.unsaved += len(data)
	return key, !known, s.h.EmitRawKey(s.stream, l.key(id), data)
}

// goodID reports whether an id is safe in a key and in the cursor.
func goodID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// bury emits the tombstones of rows, by key in the ledger.
func (s *trackedList) bury(l *list, keys []string) error {
	for _, key := range keys {
		delete(s.ledger.known, key)
		s.unsaved += 100
		if err := s.h.Delete(s.stream, l.key(key[len(l.part):])...); err != nil {
			return err
		}
	}
	return nil
}

// pagesPerSlice is after how many pages the cursor is saved in any case.
const pagesPerSlice = 20

// save closes a slice. A large cursor is not written after every page, so that
// all cursors together stay in proportion to the records.
func (s *trackedList) save(always bool) error {
	s.pages++
	if !always && s.cursorSize > 4*s.unsaved+4096 && s.pages < pagesPerSlice {
		return nil
	}
	cursor := s.ledger.encode()
	s.cursorSize, s.unsaved, s.pages = len(cursor), 0, 0
	return s.h.Slice(s.stream, s.stream+" "+strconv.Itoa(s.taken), cursor)
}

// end saves the stream's cursor, whether it was collected to its end or not, and
// reports the rows that were not understood to the host.
func (s *trackedList) end(err error) error {
	if e := s.save(true); e != nil {
		return e
	}
	if e := s.report(); e != nil {
		return e
	}
	if err == nil && s.h.Stopping() {
		return sdk.ErrStopped
	}
	return err
}

func (s *trackedList) report() error {
	for _, p := range []struct {
		count                 int
		reason, message, hint string
	}{
		{s.unreadable, problemUnreadable, "rows of the list have no valid id", "retry_on_connector_upgrade"},
		{s.empty, problemEmpty, "rows of the list are empty, so removed rows cannot be identified", "upstream_unblock"},
	} {
		if p.count == 0 {
			continue
		}
		n := strconv.Itoa(p.count)
		if err := skip(s.h, s.stream, p.reason, n+" "+p.message, p.hint, []byte(`{"count":`+n+`}`)); err != nil {
			return err
		}
	}
	if s.unstable {
		err := skip(s.h, s.stream, problemUnstable, "the list changed each time it was read, or is shorter than its stated length; the next run looks for removed rows",
			"retry_by_runtime", nil)
		if err != nil {
			return err
		}
	}
	if s.ledger.overflow {
		return skip(s.h, s.stream, problemOverflow, "the list is longer than can be remembered; some removed rows may stay", "not_retriable", nil)
	}
	return nil
}

// rowID is a row's own id.
func rowID(v jsonvalue.Value) string { return v.Get("id").Str() }
