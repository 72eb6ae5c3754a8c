package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Reasons of SKIP_RESULT.
const (
	problemUnreadable = "notion_result_unreadable"
	problemProperty   = "notion_property_unknown"
	problemIncomplete = "notion_search_incomplete"
	problemMissing    = "notion_removals_unconfirmed"
	problemRefused    = "notion_lookup_refused"
	problemOverflow   = "cursor_reduced"
)

// listing collects one stream.
type listing struct {
	*api

	stream, kind string
	ledger       *ledger
	builder      builder

	taken      int            // objects met in this run
	unsaved    int            // bytes emitted since the last slice
	pages      int            // pages of results since the last slice
	cursorSize int            // of the last slice's cursor
	unreadable int            // results that are no object with an id
	properties map[string]int // property types that are not understood
}

func newListing(a *api, stream, kind string) *listing {
	return &listing{api: a, stream: stream, kind: kind, ledger: a.openLedger(stream), properties: make(map[string]int)}
}

// collect ends the walk that an earlier run could not end, does a walk of its own, and
// reports the results that could not be read. A walk that fails keeps its results.
func (l *listing) collect() error {
	err := l.walks()
	if err != nil {
		if e := l.save(true); e != nil {
			return e
		}
	}
	if e := l.report(); e != nil {
		return e
	}
	return err
}

// emitOrBury emits an object if it differs from the emitted one, and buries it if it is in
// the trash. It returns the time of its last edit, 0 when there is none.
func (l *listing) emitOrBury(v jsonvalue.Value) (int64, error) {
	l.taken++
	id := v.Get("id").Str()
	if !v.Get("object").TextIs(l.kind) || !goodID(id) {
		l.unreadable++
		return 0, nil
	}
	edited := int64(0)
	if t, err := time.Parse(time.RFC3339, v.Get("last_edited_time").View()); err == nil {
		edited = t.UnixMilli()
	}
	if v.Get("archived").Bool() || v.Get("in_trash").Bool() {
		return edited, l.bury(id)
	}
	l.builder.reset()
	if l.kind == kindPage {
		l.builder.page(v)
	} else {
		l.builder.database(v)
	}
	data := l.builder.end()
	for _, kind := range l.builder.unknown {
		l.properties[kind]++
	}
	sum := fingerprint.Sum48(data)
	if l.builder.mismatched || len(data) > abi.MaxRecordBytes-1024 {
		sum = 0 // the host may reject it, so every walk emits it again
	}
	before, known := l.ledger.known[id]
	if known && before.sum == sum && sum != 0 {
		l.ledger.set(id, sum)
		return edited, nil
	}
	if w := l.ledger.walk; w != nil && edited < w.floorMS && (!known && !l.ledger.full() || before.sum != 0) {
		w.surprise = true
	}
	l.ledger.set(id, sum)
	l.unsaved += len(data)
	return edited, l.h.EmitRaw(l.stream, id, data)
}

// bury emits the tombstone of an emitted object.
func (l *listing) bury(id string) error {
	if _, known := l.ledger.known[id]; !known {
		return nil
	}
	delete(l.ledger.known, id)
	l.unsaved += 100
	return l.h.Delete(l.stream, id)
}

// goodID reports whether an id is safe in a path and in the cursor.
func goodID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return true
}

// pagesPerSlice is after how many pages of results the cursor is saved in any
// case.
const pagesPerSlice = 20

// save closes a slice. A large cursor is not written after every page of
// results, so that all cursors together stay in proportion to the records.
func (l *listing) save(always bool) error {
	l.pages++
	if !always && l.cursorSize > 4*l.unsaved+4096 && l.pages < pagesPerSlice {
		return nil
	}
	cursor := l.ledger.encode()
	l.cursorSize, l.unsaved, l.pages = len(cursor), 0, 0
	return l.h.Slice(l.stream, l.stream+" "+strconv.Itoa(l.taken), cursor)
}

// report reports the results that were not understood to the host.
func (l *listing) report() error {
	if l.unreadable > 0 {
		err := l.skip(problemUnreadable, strconv.Itoa(l.unreadable)+" results of the search could not be read",
			"retry_on_connector_upgrade", counted(l.unreadable))
		if err != nil {
			return err
		}
	}
	if len(l.properties) > 0 {
		n, kinds := 0, make([]string, 0, len(l.properties))
		for kind, count := range l.properties {
			n += count
			kinds = insertSorted(kinds, kind)
		}
		d := jsonappend.Int([]byte(`{"count":`), int64(n))
		d = append(jsonappend.Strings(jsonappend.Name(d, "types"), kinds[:min(len(kinds), 20)]), '}')
		err := l.skip(problemProperty, strconv.Itoa(n)+" properties have types that this connector does not know; their values are null",
			"not_retriable", d) // the pages are collected
		if err != nil {
			return err
		}
	}
	if l.ledger.overflow {
		return l.skip(problemOverflow, "there are more objects than can be remembered; some deleted ones may stay", "not_retriable", nil)
	}
	return nil
}

func (l *listing) skip(reason, message, hint string, diagnostics []byte) error {
	return l.h.Skip(abi.SkipResult{
		Stream: l.stream, Reason: reason, Message: message,
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: diagnostics,
	})
}

func insertSorted(list []string, s string) []string {
	i := len(list)
	list = append(list, s)
	for ; i > 0 && list[i-1] > s; i-- {
		list[i] = list[i-1]
	}
	list[i] = s
	return list
}
