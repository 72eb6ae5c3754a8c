package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// reasonOverflow reports that a cursor cannot remember all entities.
const reasonOverflow = "ynab_inventory_overflow"

// inventory compares the entities of one budget with those of the run before. A list
// that is read whole leaves deleted entities out.
type inventory struct {
	r      *run
	stream string
	cur    cursor
	p      *budgetState
	room   int
	seen   map[string]bool
	unsure bool // a row has no usable key
	full   bool // there was no room for some
}

func (r *run) compare(stream string, cur cursor, budget string) *inventory {
	return &inventory{r: r, stream: stream, cur: cur, p: cur.forBudget(budget), room: maxItems - cur.keyCount(), seen: make(map[string]bool)}
}

// put emits an entity that is new or changed.
func (i *inventory) put(key string, data []byte) error {
	i.seen[key] = true
	sum := printOf(data)
	old, known := i.p.items[key]
	if known && old == sum {
		return nil
	}
	if err := i.r.h.EmitRaw(i.stream, key, data); err != nil {
		return err
	}
	switch {
	case known:
		i.p.items[key] = sum
	case i.room > 0:
		i.room--
		i.p.items[key] = sum
	default:
		i.full = true
	}
	return nil
}

// finish buries deleted rows and hands over the cursor.
func (i *inventory) finish(budget string) error {
	for _, key := range sorted(i.p.items) {
		if i.seen[key] || i.unsure {
			continue
		}
		if err := i.r.h.Delete(i.stream, key); err != nil {
			return err
		}
		delete(i.p.items, key)
	}
	i.p.stale = false
	if i.full {
		if err := i.r.h.Skip(abi.SkipResult{
			Stream: i.stream, Reason: reasonOverflow, RecoveryHint: abi.Raw(`"not_retriable"`),
			Message: "the list is too long to remember every row; some removals will go unnoticed",
		}); err != nil {
			return err
		}
	}
	return i.r.slice(i.stream, i.cur, budget)
}

// locations collects payee_locations, for which there are no delta requests.
func (r *run) locations() error {
	s := &builder{stream: streamLocations}
	cur, err := r.ownCursor(streamLocations)
	if err != nil {
		return err
	}
	err = r.eachBudget(func(budget string) error {
		rows, _, err := r.c.rows(budget, "/payee_locations", "payee_locations", 0)
		if err != nil {
			return err
		}
		return r.readWhole(rows, s, r.compare(streamLocations, cur, budget), locationRecord, budget)
	})
	return r.reported(err, s)
}

// readWhole compares all rows of a whole list.
func (r *run) readWhole(
	rows jsonvalue.Value, s *builder, i *inventory, record func(*builder, jsonvalue.Value, string) string, budget string,
) error {
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		key := byID(v, budget)
		switch {
		case key == "":
			s.dropRow()
			i.unsure = true
		case v.Get("deleted").Bool(): // as good as left out
		default:
			record(s, v, budget)
			if err := i.put(key, s.data()); err != nil {
				return err
			}
		}
	}
	return i.finish(budget)
}

// accounts collects accounts, always whole: account_stats needs the balance of each one
// each day. Only a delta request reports deleted accounts, so they are found by
// comparison.
func (r *run) accounts() error {
	s, stats := &builder{stream: streamAccounts}, &builder{stream: streamAccountStats}
	cur, err := r.ownCursor(streamAccounts)
	if err != nil {
		return err
	}
	days, err := r.ownCursor(streamAccountStats)
	if err != nil {
		return err
	}
	today := r.h.Now().UTC().Format(time.DateOnly)
	err = r.eachBudget(func(budget string) error {
		rows, _, err := r.c.rows(budget, "/accounts", "accounts", 0)
		if err != nil {
			return err
		}
		r.keepTypes(budget, rows)
		if r.h.Wants(streamAccounts) {
			if err := r.readWhole(rows, s, r.compare(streamAccounts, cur, budget), accountRecord, budget); err != nil {
				return err
			}
		}
		p := days.forBudget(budget)
		if p.day == today || !r.h.Wants(streamAccountStats) {
			return nil
		}
		for it := rows.Children(); it.Next(); {
			v := it.Value()
			key := ""
			if !v.Get("deleted").Bool() {
				key = accountStatsRecord(stats, v, budget, today)
			}
			if key == "" {
				continue // accounts reports it
			}
			if err := r.h.EmitRaw(streamAccountStats, key, stats.data()); err != nil {
				return err
			}
		}
		p.day, p.stale = today, false
		return r.slice(streamAccountStats, days, budget)
	})
	return r.reported(err, s, stats)
}

// keepTypes remembers the accounts' types for their transactions.
func (r *run) keepTypes(budget string, rows jsonvalue.Value) {
	types := make(map[string]string)
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		if kind := v.Get("type"); kind.Kind() == jsonvalue.String {
			types[v.Get("id").Str()] = kind.Str()
		}
	}
	r.types[budget] = types
}
