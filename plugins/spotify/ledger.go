package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// ledgerVersion changes with the meaning of the cursor and with the way records
// are built: everything is emitted anew then.
const ledgerVersion = 1

// maxKnown is how many rows a cursor remembers: about 40 bytes each, below
// abi.MaxStateBytes. Rows above it are emitted in every inventory, and their removal
// goes unnoticed.
const maxKnown = 150_000

// maxID is the longest valid id; Spotify's have 22 characters.
const maxID = 40

// ledger is the cursor of a stream whose list is compared as a whole.
type ledger struct {
	whose       sdk.Account
	highMS      int64  // of saved tracks: the newest save that was collected
	inventoryMS int64  // when an inventory last ended; 0: one is due
	extra       int64  // how many more rows the list had then than were readable
	next        string // of saved tracks: the page at which a reading of the list was broken off; "": at none
	known       map[string]uint64
	overflow    bool
}

// openLedger returns the ledger that this run continues. A full refresh takes from the
// earlier one only which rows existed: it, or a later run, emits them again or finds
// that they were removed.
func (a *api) openLedger(stream string) *ledger {
	before := a.h.Previous(stream)
	l := readLedger(before)
	if before.Exists() {
		l.highMS, l.inventoryMS, l.extra, l.next = 0, 0, 0, ""
		for key := range l.known {
			l.known[key] = 0
		}
	} else {
		l = readLedger(a.h.Cursor(stream))
	}
	l.whose = a.whose
	return l
}

func readLedger(v jsonvalue.Value) *ledger {
	l := &ledger{known: make(map[string]uint64)}
	current := v.Get("v").Int() == ledgerVersion
	if current {
		l.highMS, l.inventoryMS, l.extra = v.Get("high_ms").Int(), v.Get("inventory_ms").Int(), v.Get("extra").Int()
		l.next = v.Get("next").Str()
	}
	for it := v.Get("known").Children(); it.Next() && len(l.known) < maxKnown; {
		if sum, ok := fingerprint.ReadText48(it.Value().Str()); ok {
			if !current {
				sum = 0
			}
			l.known[it.Name().Str()] = sum
		}
	}
	return l
}

func (l *ledger) encode() []byte {
	b := jsonappend.Int(append([]byte{'{'}, `"v":`...), ledgerVersion)
	b = l.whose.AppendTo(b)
	if l.highMS != 0 {
		b = jsonappend.Int(jsonappend.Name(b, "high_ms"), l.highMS)
	}
	if l.inventoryMS != 0 {
		b = jsonappend.Int(jsonappend.Name(b, "inventory_ms"), l.inventoryMS)
	}
	if l.extra != 0 {
		b = jsonappend.Int(jsonappend.Name(b, "extra"), l.extra)
	}
	if l.next != "" {
		b = jsonappend.String(jsonappend.Name(b, "next"), l.next)
	}
	b = append(jsonappend.Name(b, "known"), '{')
	for _, key := range l.keys("") {
		b = append(jsonappend.Name(b, key), '"')
		b = append(fingerprint.AppendText48(b, l.known[key]), '"')
	}
	return append(b, "}}"...)
}

// keys returns the known rows whose key begins with prefix, in order.
func (l *ledger) keys(prefix string) []string {
	keys := make([]string, 0, len(l.known))
	for key := range l.known {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// set remembers a row by the fingerprint of its emitted data; 0 makes a run emit it
// again.
func (l *ledger) set(key string, sum uint64) {
	if _, ok := l.known[key]; !ok && len(l.known) >= maxKnown {
		l.overflow = true
		return
	}
	l.known[key] = sum
}
