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

// maxKnown is how many objects a cursor remembers: about 50 bytes each, below
// abi.MaxStateBytes. Objects above it are emitted in every full walk, and their
// deletion goes unnoticed.
const maxKnown = 150_000

// maxID is the longest valid id; Notion's have 36 characters.
const maxID = 40

// rounds is how many full walks the ledger can distinguish.
const rounds = 36

// entry is the memory of one object.
type entry struct {
	sum   uint64 // of the record that was emitted; 0: emit it again
	round uint8  // the full walk that met it last
}

// ledger is a stream's cursor.
type ledger struct {
	account     sdk.Account
	highMS      int64 // the newest edit that every walk up to now has covered
	inventoryMS int64 // when a full walk last ended without surprise; 0: one is due
	round       uint8
	confirmed   string // the id up to which missing objects were asked for
	walk        *walk  // the walk that has not reached its end
	known       map[string]entry
	overflow    bool
}

// walk is one pass through the results.
type walk struct {
	full     bool
	cursor   string // where it continues
	topMS    int64  // the newest edit it met
	floorMS  int64  // older ones were met by earlier walks
	surprise bool   // it met something that those should have met
}

// openLedger returns the ledger that this run continues. A full refresh takes from the
// earlier one only which objects existed: it, or a later run, asks for those that it
// does not meet.
func (a *api) openLedger(stream string) *ledger {
	before := a.h.Previous(stream)
	l := readLedger(before)
	if before.Exists() {
		l.forget()
	} else {
		l = readLedger(a.h.Cursor(stream))
	}
	l.account = a.account
	return l
}

// forget makes the next walk one through everything, which meets each object as
// if for the first time.
func (l *ledger) forget() {
	l.highMS, l.inventoryMS, l.walk = 0, 0, nil
	for id := range l.known {
		l.known[id] = entry{round: l.round} // the next full walk has another one
	}
}

func readLedger(v jsonvalue.Value) *ledger {
	l := &ledger{
		highMS: v.Get("high_ms").Int(), inventoryMS: v.Get("inventory_ms").Int(),
		confirmed: v.Get("confirmed").Str(), known: make(map[string]entry),
	}
	if n := v.Get("round").Int(); n >= 0 && n < rounds {
		l.round = uint8(n)
	}
	current := v.Get("v").Int() == ledgerVersion
	for it := v.Get("known").Children(); it.Next(); {
		if e, ok := readEntry(it.Value().Str()); ok && len(l.known) < maxKnown {
			if !current {
				e.sum = 0
			}
			l.known[it.Name().Str()] = e
		}
	}
	w := v.Get("walk")
	switch {
	case !current:
		l.highMS, l.inventoryMS = 0, 0
	case w.Kind() == jsonvalue.Object:
		l.walk = &walk{
			full: w.Get("full").Bool(), cursor: w.Get("cursor").Str(), topMS: w.Get("top_ms").Int(),
			floorMS: w.Get("floor_ms").Int(), surprise: w.Get("surprise").Bool(),
		}
	}
	return l
}

func (l *ledger) encode() []byte {
	b := jsonappend.Int(append([]byte{'{'}, `"v":`...), ledgerVersion)
	b = jsonappend.Int(jsonappend.Name(l.account.AppendTo(b), "high_ms"), l.highMS)
	b = jsonappend.Int(jsonappend.Name(b, "inventory_ms"), l.inventoryMS)
	b = jsonappend.Int(jsonappend.Name(b, "round"), int64(l.round))
	if l.confirmed != "" {
		b = jsonappend.String(jsonappend.Name(b, "confirmed"), l.confirmed)
	}
	if w := l.walk; w != nil {
		b = append(jsonappend.Name(b, "walk"), '{')
		b = jsonappend.Bool(jsonappend.Name(b, "full"), w.full)
		b = jsonappend.String(jsonappend.Name(b, "cursor"), w.cursor)
		b = jsonappend.Int(jsonappend.Name(b, "top_ms"), w.topMS)
		b = jsonappend.Int(jsonappend.Name(b, "floor_ms"), w.floorMS)
		b = append(jsonappend.Bool(jsonappend.Name(b, "surprise"), w.surprise), '}')
	}
	b = append(jsonappend.Name(b, "known"), '{')
	for _, id := range l.ids() {
		b = append(jsonappend.Name(b, id), '"')
		b = append(appendEntry(b, l.known[id]), '"')
	}
	return append(b, "}}"...)
}

// ids returns the known objects in order.
func (l *ledger) ids() []string {
	ids := make([]string, 0, len(l.known))
	for id := range l.known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// full reports whether the ledger has no room left. An unknown object is then no
// surprise.
func (l *ledger) full() bool { return len(l.known) >= maxKnown }

// set remembers an object as met by the current round.
func (l *ledger) set(id string, sum uint64) {
	if _, ok := l.known[id]; !ok && l.full() {
		l.overflow = true
		return
	}
	l.known[id] = entry{sum, l.round}
}

// roundDigits spell a round, in one character.
const roundDigits = "0123456789abcdefghijklmnopqrstuvwxyz"

func appendEntry(b []byte, e entry) []byte {
	return fingerprint.AppendText48(append(b, roundDigits[e.round]), e.sum)
}

func readEntry(text string) (e entry, ok bool) {
	if text == "" {
		return e, false
	}
	round := strings.IndexByte(roundDigits, text[0])
	sum, ok := fingerprint.ReadText48(text[1:])
	if round < 0 || !ok {
		return e, false
	}
	return entry{sum, uint8(round)}, true
}
