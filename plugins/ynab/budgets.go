package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// listBudgets asks for the budgets, which every run needs, and emits them. A budget
// that is no longer listed becomes a tombstone: one answer lists them all.
func (r *run) listBudgets() error {
	data, err := r.c.get("/budgets")
	if err != nil {
		return err
	}
	rows := data.Get("budgets")
	if rows.Kind() != jsonvalue.Array {
		return malformed("an answer without budgets")
	}
	cur, s := r.remembered(streamBudgets), &builder{stream: streamBudgets}
	seen := make(map[string]bool)
	r.budgets = nil
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		if v.Get("deleted").Bool() {
			continue // as good as not listed
		}
		id := budgetRecord(s, v)
		if id == "" {
			s.dropRow()
			r.unsure = true
			continue
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		r.budgets = append(r.budgets, id)
		p := cur.forBudget(id)
		data := s.data()
		if sum := printOf(data); p.sum != sum {
			p.sum, p.stale = sum, false
			if err := r.h.EmitRaw(streamBudgets, id, data); err != nil {
				return err
			}
		}
	}
	for _, id := range sorted(cur) {
		if seen[id] || r.unsure {
			continue
		}
		if err := r.h.Delete(streamBudgets, id); err != nil {
			return err
		}
		delete(cur, id)
	}
	if err := s.report(r.h); err != nil {
		return err
	}
	return r.slice(streamBudgets, cur, "budgets")
}

// nameBudgets finds out which budgets exist, and emits nothing: a run that recovers
// gaps may need it before the budgets' turn.
func (r *run) nameBudgets() error {
	data, err := r.c.get("/budgets")
	if err != nil {
		return err
	}
	for it := data.Get("budgets").Children(); it.Next(); {
		if id := it.Value().Get("id").Str(); plainID(id) && !it.Value().Get("deleted").Bool() {
			r.budgets = append(r.budgets, id)
		}
	}
	return nil
}
