package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
)

const (
	// inventoryMS is how long after a full walk the next one is due.
	inventoryMS = 24 * 60 * 60 * 1000
	// overlapMS is how far a walk goes back behind earlier ones: the index lags,
	// usually by seconds.
	overlapMS = 60 * 60 * 1000
	// maxWalkPages ends a walk through results that never end.
	maxWalkPages = 50_000
)

// walks does this run's walks.
func (l *listing) walks() error {
	full := false
	if w := l.ledger.walk; w != nil {
		full = w.full
		if err := l.walk(); err != nil {
			return err
		}
	}
	// Objects edited since that walk began are listed above it.
	now := l.h.Now().UnixMilli()
	due := now-l.ledger.inventoryMS >= inventoryMS || l.ledger.inventoryMS > now
	w := &walk{full: due && !full, floorMS: l.ledger.highMS - overlapMS}
	if w.full {
		l.ledger.round = (l.ledger.round + 1) % rounds
	}
	l.ledger.walk = w
	return l.walk()
}

// walk goes through the results from ledger.walk on, to their end or to the part that
// earlier walks covered.
func (l *listing) walk() error {
	w := l.ledger.walk
	resumed := w.cursor != ""
	seen := make(map[string]bool)
	incomplete := false
	for {
		page, err := l.search(l.kind, w.cursor)
		if err == errCursor && resumed { //nolint:errorlint // search returns it as it is
			// The API no longer knows the cursor of an earlier run: begin at the top.
			w.cursor, resumed = "", false
			continue
		}
		if err != nil {
			return err
		}
		resumed = false
		incomplete = incomplete || page.incomplete
		covered, err := l.emitPage(page, w)
		if err != nil {
			return err
		}
		if page.next == "" || covered && !w.full {
			break
		}
		if seen[page.next] || page.next == w.cursor {
			return &sdk.Failure{Code: codeRepeated, Message: "Notion's search repeats itself: a cursor came twice", Retryable: true}
		}
		if len(seen) >= maxWalkPages {
			return malformed("a search does not end")
		}
		seen[page.next] = true
		w.cursor = page.next
		if err := l.save(false); err != nil {
			return err
		}
		if err := l.progress(); err != nil {
			return err
		}
	}
	return l.finish(w, incomplete)
}

// emitPage takes the objects of a page of results, and reports whether they reach the
// part that earlier walks covered.
func (l *listing) emitPage(page results, w *walk) (covered bool, err error) {
	for it := page.list.Children(); it.Next(); {
		edited, err := l.emitOrBury(it.Value())
		if err != nil {
			return false, err
		}
		w.topMS = max(w.topMS, edited)
		covered = covered || edited != 0 && edited < w.floorMS
	}
	return covered, nil
}

// finish ends a walk. Its results need not be walked again; after a full walk the run
// asks for the objects that it did not meet.
func (l *listing) finish(w *walk, incomplete bool) error {
	now := l.h.Now().UnixMilli()
	// A time ahead of the clock would hide every edit until then.
	l.ledger.highMS = max(l.ledger.highMS, min(w.topMS, now))
	l.ledger.walk = nil
	switch {
	case w.full && incomplete:
		l.ledger.inventoryMS = now
		err := l.skip(problemIncomplete, "the workspace has more objects than Notion's search lists; deleted ones are not looked for",
			"not_retriable", nil)
		if err != nil {
			return err
		}
	case w.full:
		l.ledger.inventoryMS = 0
		settled, err := l.confirmMissing()
		if err != nil {
			return err
		}
		// A first walk over several pages of results meets no surprise, although they
		// may have shifted.
		if first := w.floorMS <= 0 && w.cursor != ""; settled && !w.surprise && !first {
			l.ledger.inventoryMS = now
		}
	case w.surprise:
		l.ledger.inventoryMS = 0
	}
	if err := l.save(true); err != nil {
		return err
	}
	if l.h.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}

func (l *listing) progress() error {
	if err := l.h.Progress("reading "+l.stream, int64(l.taken), -1, ""); err != nil {
		return err
	}
	if l.h.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}
