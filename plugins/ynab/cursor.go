package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// maxItems is how many entities one stream's cursor remembers: at 60 bytes each
// it stays below 6 MiB.
const maxItems = 90_000

// budgetState is the state of one budget in the cursor of a stream.
type budgetState struct {
	knowledge int64             // the provider's own position; 0: never read
	stale     bool              // to be read anew: another build, whose rows may differ, read it, or a full refresh begins
	items     map[string]uint64 // fingerprint by key, of streams that are read whole
	keys      map[string]bool   // of streams that are read by their changes
	partial   bool              // keys does not contain all of them
	sum       uint64            // of the budget itself
	day       string            // account_stats: the last one
	todo      []string          // month_categories: months that were listed and not accounted for
	months    map[string]uint64 // month_categories: fingerprint of recent months
	newest    string            // month_categories: last_fetched_month
	first     string            // month_categories: the first month there is; "": not known
}

// cursor is a stream's cursor, by budget.
type cursor map[string]*budgetState

func readCursor(v jsonvalue.Value) cursor {
	c := make(cursor)
	room := maxItems
	for it := v.Children(); it.Next(); {
		budget, at := it.Name().Str(), it.Value()
		if at.Kind() != jsonvalue.Object || !plainID(budget) {
			continue // the host's own members
		}
		p := &budgetState{
			knowledge: max(at.Get("server_knowledge").Int(), 0), stale: at.Get("format").Int() != format,
			sum: uint64(at.Get("sum").Int()), day: at.Get("observed_on").Str(), newest: at.Get("last_fetched_month").Str(),
			first: at.Get("first_month").Str(),
		}
		p.items, p.months = readPrints(at.Get("items"), &room), readPrints(at.Get("months"), &room)
		p.readKeys(at, &room)
		for m := at.Get("todo").Children(); m.Next(); {
			if month := m.Value().Str(); firstDay(month) {
				p.todo = append(p.todo, month)
			}
		}
		if p.stale {
			p.outdate()
		}
		c[budget] = p
	}
	return c
}

// remembered returns the earlier runs' memory of a stream, to find the rows deleted
// since. A full refresh reads it like a cursor of another build: it emits everything
// again, and keeps for a later run the rows that it does not reach or must not bury.
func (r *run) remembered(stream string) cursor {
	if r.h.Mode() != abi.ModeFullRefresh {
		return readCursor(r.h.Cursor(stream))
	}
	c := readCursor(r.h.Previous(stream))
	for _, p := range c {
		p.outdate()
		p.day = ""
	}
	return c
}

// outdate has everything emitted again.
func (p *budgetState) outdate() {
	p.stale, p.sum, p.months = true, 0, make(map[string]uint64)
	for key := range p.items {
		p.items[key] = 0
	}
}

func readPrints(v jsonvalue.Value, room *int) map[string]uint64 {
	prints := make(map[string]uint64)
	for it := v.Children(); it.Next() && *room > 0; {
		prints[it.Name().Str()] = uint64(it.Value().Int()) & printMask
		*room--
	}
	return prints
}

// forBudget returns a budget's state, a new one when there is none.
func (c cursor) forBudget(budget string) *budgetState {
	p := c[budget]
	if p == nil {
		p = &budgetState{items: make(map[string]uint64), keys: make(map[string]bool), months: make(map[string]uint64)}
		c[budget] = p
	}
	return p
}

// keyCount counts the keys that the cursor remembers.
func (c cursor) keyCount() int {
	n := 0
	for _, p := range c {
		n += len(p.items) + len(p.keys)
	}
	return n
}

func (c cursor) encode() []byte {
	b := []byte{'{'}
	for _, budget := range sorted(c) {
		p := c[budget]
		b = append(jsonappend.Name(b, budget), '{')
		if len(p.keys) > 0 || p.knowledge > 0 {
			b = jsonappend.Strings(jsonappend.Name(b, "keys"), sorted(p.keys))
		}
		if p.partial {
			b = jsonappend.Bool(jsonappend.Name(b, "partial"), true)
		}
		if p.knowledge > 0 {
			b = jsonappend.Int(jsonappend.Name(b, "server_knowledge"), p.knowledge)
		}
		if !p.stale {
			b = jsonappend.Int(jsonappend.Name(b, "format"), format)
		}
		if p.sum != 0 {
			b = jsonappend.Uint(jsonappend.Name(b, "sum"), p.sum)
		}
		if p.day != "" {
			b = jsonappend.String(jsonappend.Name(b, "observed_on"), p.day)
		}
		if p.newest != "" {
			b = jsonappend.String(jsonappend.Name(b, "last_fetched_month"), p.newest)
		}
		if p.first != "" {
			b = jsonappend.String(jsonappend.Name(b, "first_month"), p.first)
		}
		if len(p.todo) > 0 {
			b = jsonappend.Strings(jsonappend.Name(b, "todo"), p.todo)
		}
		b = encodePrints(b, "items", p.items)
		b = append(encodePrints(b, "months", p.months), '}')
	}
	return append(b, '}')
}

func encodePrints(b []byte, name string, prints map[string]uint64) []byte {
	if len(prints) == 0 {
		return b
	}
	b = append(jsonappend.Name(b, name), '{')
	for _, key := range sorted(prints) {
		b = jsonappend.Uint(jsonappend.Name(b, key), prints[key])
	}
	return append(b, '}')
}

// sorted lists keys in an order that does not depend on a map's.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
