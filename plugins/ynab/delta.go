package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// list is a list of a budget that reports the changes since a knowledge, deleted
// entities included.
type list struct {
	stream, path, member string
	key                  func(v jsonvalue.Value, budget string) string // "" when v cannot be a record
	record               func(s *builder, v jsonvalue.Value, budget string) string
	prepare              func(budget string) error // before a budget's first row; nil: nothing
	graves               bool                      // reports only deleted entities
	cur                  cursor                    // where the keys are remembered; nil: the stream is not in scope
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
	s := &builder{stream: l.stream}
	l.cur = cur
	err = r.eachBudget(func(budget string) error {
		p := cur.forBudget(budget)
		for i, pass := range p.passes() {
			rows, after, err := r.c.rows(budget, l.path, l.member, pass.knowledge)
			if err != nil {
				return err
			}
			l.graves = pass.graves
			p.beginPass(pass)
			if l.prepare != nil && rows.Len() > 0 && !l.graves {
				if err := l.prepare(budget); err != nil {
					return err
				}
			}
			if err := r.rows(l, s, rows, budget); err != nil {
				return err
			}
			p.advance(i, after)
		}
		p.stale = false
		return r.slice(l.stream, cur, budget)
	})
	return r.reported(err, s)
}

// pass is one question for a list.
type pass struct {
	knowledge int64
	graves    bool // for deleted entities only: the next request brings the rest
}

// passes lists the requests to make: one. Rows of a list that another build read may be
// built differently or be usable now, and a full refresh wants everything again. Since
// a whole list leaves deleted entities out, those are requested before it, if the list
// was read before.
func (p *budgetState) passes() []pass {
	if p.stale && p.knowledge > 0 {
		return []pass{{p.knowledge, true}, {}}
	}
	return []pass{{knowledge: p.knowledge}}
}

// beginPass clears partial before a request for everything, whose answer has all the keys.
func (p *budgetState) beginPass(one pass) { p.partial = p.partial && one.knowledge > 0 }

// advance moves the state to the knowledge of the i-th request's answer: to the first
// one's, because the second would skip the entities deleted between the two.
func (p *budgetState) advance(i int, after int64) {
	if i == 0 {
		p.knowledge = max(after, p.knowledge)
	}
}

// rows emits the entities of one answer.
func (r *run) rows(l list, s *builder, rows jsonvalue.Value, budget string) error {
	for it := rows.Children(); it.Next(); {
		if err := r.row(l, s, it.Value(), budget); err != nil {
			return err
		}
	}
	return r.h.Progress("reading "+l.stream, -1, -1, "")
}

// row emits one entity, or its tombstone.
func (r *run) row(l list, s *builder, v jsonvalue.Value, budget string) error {
	key := l.key(v, budget)
	switch {
	case l.graves && !v.Get("deleted").Bool():
		return nil
	case key == "":
		s.dropRow()
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

// reported sends the reports of a builder, whatever the outcome of the stream.
func (r *run) reported(err error, shapes ...*builder) error {
	for _, s := range shapes {
		if e := s.report(r.h); err == nil {
			err = e
		}
	}
	return err
}

// ownCursor reads a stream's cursor, and buries the rows of deleted budgets.
func (r *run) ownCursor(stream string) (cursor, error) {
	cur := r.remembered(stream)
	gone, err := r.bury(stream, cur)
	if err == nil && gone {
		err = r.slice(stream, cur, "gone")
	}
	return cur, err
}

// transactions collects the stream of that name. Its records contain the accounts'
// types, which only the accounts give.
func (r *run) transactions() error {
	return r.delta(list{
		stream: streamTransactions, path: "/transactions", member: "transactions", key: byID,
		record: func(s *builder, v jsonvalue.Value, budget string) string {
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
