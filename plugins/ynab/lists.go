package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// source is a list that each budget has.
type source struct {
	path, member string
	streams      []string // that its rows make
	whole        bool     // it has everything and no changes
	again        bool     // everything is asked for: the changes cannot be had
	prepare      func(budget string, rows jsonvalue.Value) error
	// take emits a row; nil: put does, with key and record.
	take   func(l *reading, row jsonvalue.Value, budget string) error
	key    func(v jsonvalue.Value, budget string) string // "" when v cannot be a record
	record func(r *sdk.Record, v jsonvalue.Value, budget string)
}

var (
	locations = source{
		path: "/payee_locations", member: "payee_locations", streams: []string{streamLocations}, whole: true, key: byID, record: locationRecord,
	}
	payees    = source{path: "/payees", member: "payees", streams: []string{streamPayees}, key: byID, record: payeeRecord}
	scheduled = source{
		path: "/scheduled_transactions", member: "scheduled_transactions", streams: []string{streamScheduled}, key: byID, record: scheduledRecord,
	}
	months     = source{path: "/months", member: "months", streams: []string{streamMonths}, key: byMonth, record: monthRecord}
	categories = source{path: "/categories", member: "category_groups", streams: []string{streamGroups, streamCategories}, take: takeGroup}
)

// takeGroup emits a category group and its categories.
func takeGroup(l *reading, group jsonvalue.Value, budget string) error {
	if err := l.put(streamGroups, byID(group, ""), group, func(r *sdk.Record) { groupRecord(r, group, budget) }); err != nil {
		return err
	}
	for it := group.Get("categories").Children(); it.Next(); {
		v := it.Value()
		if err := l.put(streamCategories, byID(v, ""), v, func(r *sdk.Record) { categoryRecord(r, v, group, budget) }); err != nil {
			return err
		}
	}
	return nil
}

// transactions also need the types of the accounts, which only the accounts give.
func (r *run) transactions() source {
	return source{
		path: "/transactions", member: "transactions", streams: []string{streamTransactions}, key: byID,
		record: func(rec *sdk.Record, v jsonvalue.Value, budget string) {
			transactionRecord(rec, v, budget, r.types[budget])
		},
		prepare: func(budget string, rows jsonvalue.Value) error {
			if r.types[budget] != nil || rows.Len() == 0 {
				return nil
			}
			got, err := r.rows("/"+budget+"/accounts", "accounts", 0)
			if err == nil {
				r.keepTypes(budget, got.rows)
			}
			return err
		},
	}
}

// accounts are always read whole: account_stats needs the balance of each one each day.
func (r *run) accounts(*api.Client) error {
	days, today := new(place).read(r.Cursor(streamAccountStats)), r.Now().UTC().Format(time.DateOnly)
	if r.forget(streamAccountStats, days) {
		if err := r.save(streamAccountStats, "gone", days); err != nil {
			return err
		}
	}
	return r.collect(source{
		path: "/accounts", member: "accounts", streams: []string{streamAccounts}, whole: true, key: byID, record: accountRecord,
		prepare: func(budget string, rows jsonvalue.Value) error {
			r.keepTypes(budget, rows)
			if days.of(budget).day == today || !r.Wants(streamAccountStats) {
				return nil
			}
			for it := rows.Children(); it.Next(); {
				v := it.Value()
				if byID(v, "") == "" || v.Get("deleted").Bool() {
					continue // accounts reports it
				}
				rec := r.Record(streamAccountStats)
				accountStatsRecord(rec, v, budget, today)
				if err := rec.Emit(); err != nil {
					return err
				}
			}
			days.of(budget).day = today
			return r.save(streamAccountStats, budget, days)
		},
	})
}

// keepTypes remembers the accounts' types for their transactions.
func (r *run) keepTypes(budget string, rows jsonvalue.Value) {
	types := make(map[string]string)
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		types[v.Get("id").Str()] = v.Get("type").Str()
	}
	r.types[budget] = types
}

// reading is the reading of a source in one run.
type reading struct {
	*run
	source

	readers []*reader // of the streams in scope
	anew    bool      // everything is read, and not only what has changed
}

// reader is one stream of it.
type reader struct {
	name  string
	at    *place
	list  *sdk.Enumeration // of a reading anew
	tally *problems.Tally
	holes bool // a row cannot be read, and may be any record
}

// collect reads a source of every budget.
func (r *run) collect(s source) error {
	l, err := r.begin(s)
	if err == nil {
		err = r.eachBudget(l.budget)
	}
	if err == errBack { //nolint:errorlint // rows returns it as it is
		if err = r.Progress("reading "+s.member+" anew: YNAB's position went back", -1, -1, ""); err != nil {
			return err
		}
		s.again = true
		if l, err = r.begin(s); err == nil {
			err = r.eachBudget(l.budget)
		}
	}
	for _, one := range l.readers {
		if err == nil && l.anew {
			err = l.end(one)
		}
		if e := one.tally.Report(); err == nil {
			err = e
		}
	}
	return err
}

// begin reads the cursors, and finds out whether the changes are enough. They are not in a
// full refresh; when a budget is gone, of whose rows YNAB says nothing; and when one of two
// streams has yet to read what the other one has.
func (r *run) begin(s source) (*reading, error) {
	l := &reading{run: r, source: s, anew: s.whole || s.again}
	for _, name := range s.streams {
		if !r.Wants(name) {
			continue
		}
		one := &reader{name: name, at: new(place).read(r.Cursor(name)), tally: problems.New(r.Host, name, unreadable)}
		l.readers = append(l.readers, one)
		gone := r.forget(name, one.at)
		l.anew = l.anew || gone || one.at.due || len(one.at.budgets) == 0
		for _, budget := range r.budgets {
			l.anew = l.anew || (one.at.knowledge(budget) > 0) != (l.readers[0].at.knowledge(budget) > 0)
		}
	}
	for _, one := range l.readers {
		if !l.anew {
			continue
		}
		one.at.budgets = nil
		var err error
		if one.list, err = r.Enumerate(one.name, "", ""); err != nil {
			return l, err
		}
	}
	return l, nil
}

// budget reads the list of one budget.
func (l *reading) budget(budget string) error {
	knowledge := int64(0)
	for i, one := range l.readers {
		if at := one.at.knowledge(budget); i == 0 || at < knowledge {
			knowledge = at
		}
	}
	got, err := l.read(budget, l.source, knowledge)
	if err != nil {
		return err
	}
	if l.prepare != nil {
		if err := l.prepare(budget, got.rows); err != nil {
			return err
		}
	}
	for it := got.rows.Children(); it.Next(); {
		v := it.Value()
		if l.take != nil {
			err = l.take(l, v, budget)
		} else {
			err = l.put(l.source.streams[0], l.key(v, budget), v, func(r *sdk.Record) { l.record(r, v, budget) })
		}
		if err != nil {
			return err
		}
	}
	for _, one := range l.readers {
		if !l.source.whole {
			if got.after < 0 {
				return l.Malformed("YNAB gave " + l.member + " without server_knowledge")
			}
			one.at.of(budget).knowledge = max(got.after, one.at.knowledge(budget))
		}
		if l.anew {
			continue
		}
		if err := l.save(one.name, budget, one.at); err != nil {
			return err
		}
	}
	return l.Progress("reading "+l.member, -1, -1, "")
}

// read asks for a list, for months once for each question: two streams need them.
func (r *run) read(budget string, of source, knowledge int64) (answer, error) {
	question := of.member + budget + strconv.FormatInt(knowledge, 10)
	if got, known := r.listed[question]; known {
		return got, nil
	}
	got, err := r.rows("/"+budget+of.path, of.member, knowledge)
	if err == nil && of.member == months.member {
		r.listed[question] = got
	}
	return got, err
}

// put emits a row of a stream, or its tombstone.
func (l *reading) put(stream, key string, v jsonvalue.Value, build func(r *sdk.Record)) error {
	for _, one := range l.readers {
		switch {
		case one.name != stream:
		case key == "":
			one.tally.Note(unreadable, "")
			one.holes = true
		case v.Get("deleted").Bool():
			return l.Delete(stream, key)
		default:
			rec := l.Record(stream)
			build(rec)
			return rec.Emit()
		}
	}
	return nil
}

// end closes the enumeration of a stream whose lists were all read whole: what they did not
// have is gone. With a row or a budget that cannot be read nothing is, and the next run
// reads them whole again.
func (l *reading) end(one *reader) error {
	if one.at.due = (one.holes || l.unsure) && !l.source.whole; !one.holes && !l.unsure {
		if err := one.list.Whole(); err != nil {
			return err
		}
	}
	return l.save(one.name, "whole", one.at)
}
