package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// reasonKept reports that rows of a deleted budget may stay.
const reasonKept = "ynab_budget_rows_kept"

// maxKey is the longest key that is remembered. YNAB's have 36 characters, 48 with a
// month, so that maxItems of them stay below 5 MiB.
const maxKey = 50

// remember notes that a row of a budget was emitted. Once its budget is deleted, a list
// that reports changes reports nothing: these keys are then all that is known of its
// rows.
func (c cursor) remember(budget, key string) {
	p, key := c.forBudget(budget), withoutBudget(budget, key)
	switch {
	case p.keys[key]:
	case len(key) > maxKey || c.keyCount() >= maxItems:
		p.partial = true
	default:
		p.keys[key] = true
	}
}

// forget notes that a row of a budget was deleted.
func (c cursor) forget(budget, key string) {
	delete(c.forBudget(budget).keys, withoutBudget(budget, key))
}

// withoutBudget removes the budget's id from a key that begins with it, because the
// cursor contains that id once. The rest begins with a character that no id has.
func withoutBudget(budget, key string) string {
	if rest, ok := strings.CutPrefix(key, budget); ok && rest != "" && (rest[0] == ':' || rest[0] == '|') {
		return rest
	}
	return key
}

func withBudget(budget, key string) string {
	if key[0] == ':' || key[0] == '|' {
		return budget + key
	}
	return key
}

// readKeys reads the keys of a budget. A cursor of a build that kept none has a
// knowledge and no keys.
func (p *budgetState) readKeys(at jsonvalue.Value, room *int) {
	list := at.Get("keys")
	p.keys = make(map[string]bool)
	p.partial = at.Get("partial").Bool() || p.knowledge > 0 && list.Kind() != jsonvalue.Array
	for it := list.Children(); it.Next(); {
		key := it.Value().Str()
		if key == "" || len(key) > maxKey || *room <= 0 {
			p.partial = true
			continue
		}
		p.keys[key] = true
		*room--
	}
}

// bury emits the tombstones of the rows of deleted budgets, and forgets those budgets.
// It reports whether there were any.
func (r *run) bury(stream string, c cursor) (gone bool, err error) {
	for _, budget := range sorted(c) {
		if r.unsure || slices.Contains(r.budgets, budget) {
			continue
		}
		p := c[budget]
		delete(c, budget)
		gone = true
		keys := sorted(p.items)
		for _, key := range sorted(p.keys) {
			keys = append(keys, withBudget(budget, key))
		}
		for _, key := range keys {
			if err := r.h.Delete(stream, key); err != nil {
				return gone, err
			}
		}
		if !p.partial {
			continue
		}
		if err := r.h.Skip(abi.SkipResult{
			Stream: stream, Reason: reasonKept, RecoveryHint: abi.Raw(`"not_retriable"`),
			Message: "a budget was deleted, and not all of its rows were remembered: some may stay",
		}); err != nil {
			return gone, err
		}
	}
	return gone, nil
}
