package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// list is a list of a budget that tells what changed since a knowledge, deleted
// entities included.
type list struct {
	stream, path, member string
	key                  func(v jsonvalue.Value, budget string) string // "" when v cannot be a record
	record               func(s *shape, v jsonvalue.Value, budget string) string
	prepare              func(budget string) error // before a budget's first row; nil: nothing
	graves               bool                      // only of what was deleted is told
	cur                  cursor                    // where the keys are remembered; nil: nobody wants the stream
}

func byID(v jsonvalue.Value, _ string) string {
	if id := v.Get("id").Str(); plainID(id) {
		return id
	}
	return ""
}

var (
	payees    = list{stream: streamPayees, path: "/payees", member: "payees", key: byID, record: payeeRecord}
	scheduled = list{
		stream: streamScheduled, path: "/scheduled_transactions", member: "scheduled_transactions", key: byID, record: scheduledRecord,
	}
)

// delta collects a list of every budget.
func (r *run) delta(l list) error {
	cur, err := r.ownCursor(l.stream)
	if err != nil {
		return err
	}
	s := &shape{stream: l.stream}
	l.cur = cur
	err = r.eachBudget(func(budget string) error {
		p := cur.at(budget)
		for i, pass := range p.passes() {
			rows, after, err := r.c.rows(budget, l.path, l.member, pass.knowledge)
			if err != nil {
				return err
			}
			l.graves = pass.graves
			p.begin(pass)
			if l.prepare != nil && rows.Len() > 0 && !l.graves {
				if err := l.prepare(budget); err != nil {
					return err
				}
			}
			if err := r.rows(l, s, rows, budget); err != nil {
				return err
			}
			p.reached(i, after)
		}
		p.stale = false
		return r.slice(l.stream, cur, budget)
	})
	return r.reported(err, s)
}

// pass is one question for a list.
type pass struct {
	knowledge int64
	graves    bool // for what was deleted only: the rest comes with the next question
}

// passes lists what to ask: one question. Where another build read the list,
// what it made of it or could not use may differ now, and a full refresh wants
// everything again. A whole list leaves out what was deleted, so that is asked
// for before, if anything was read before.
func (p *place) passes() []pass {
	if p.stale && p.knowledge > 0 {
		return []pass{{p.knowledge, true}, {}}
	}
	return []pass{{knowledge: p.knowledge}}
}

// begin takes an answer's rows for all there are when they are.
func (p *place) begin(one pass) { p.partial = p.partial && one.knowledge > 0 }

// reached moves the place to the knowledge of the i-th question's answer: to
// the first one's, because the second would pass over what was deleted between.
func (p *place) reached(i int, after int64) {
	if i == 0 {
		p.knowledge = max(after, p.knowledge)
	}
}

// rows emits the entities of one answer.
func (r *run) rows(l list, s *shape, rows jsonvalue.Value, budget string) error {
	for it := rows.Children(); it.Next(); {
		if err := r.row(l, s, it.Value(), budget); err != nil {
			return err
		}
	}
	return r.h.Progress("reading "+l.stream, -1, -1, "")
}

// row emits one entity, or its tombstone.
func (r *run) row(l list, s *shape, v jsonvalue.Value, budget string) error {
	key := l.key(v, budget)
	switch {
	case l.graves && !v.Get("deleted").Bool():
		return nil
	case key == "":
		s.misfit()
		return nil
	case v.Get("deleted").Bool():
		if l.cur != nil {
			l.cur.forget(budget, key)
		}
		return r.h.Delete(l.stream, key)
	}
	if l.cur != nil {
		l.cur.remember(budget, key)
	}
	l.record(s, v, budget)
	return r.h.EmitRaw(l.stream, key, s.data())
}

// reported sends what a shape has to tell, whatever became of the stream.
func (r *run) reported(err error, shapes ...*shape) error {
	for _, s := range shapes {
		if e := s.report(r.h); err == nil {
			err = e
		}
	}
	return err
}

// ownCursor reads a stream's cursor, and buries what belonged to budgets that
// are gone.
func (r *run) ownCursor(stream string) (cursor, error) {
	cur := r.remembered(stream)
	gone, err := r.bury(stream, cur)
	if err == nil && gone {
		err = r.slice(stream, cur, "gone")
	}
	return cur, err
}

// transactions collects the stream of that name. Its records have the accounts'
// types, which only the accounts tell.
func (r *run) transactions() error {
	return r.delta(list{
		stream: streamTransactions, path: "/transactions", member: "transactions", key: byID,
		record: func(s *shape, v jsonvalue.Value, budget string) string {
			return transactionRecord(s, v, budget, r.types[budget])
		},
		prepare: func(budget string) error {
			if r.types[budget] != nil {
				return nil
			}
			rows, _, err := r.c.rows(budget, "/accounts", "accounts", 0)
			if err == nil {
				r.keepTypes(budget, rows)
			}
			return err
		},
	})
}
