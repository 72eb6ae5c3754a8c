package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// budgetMonth is one detail: a month of a budget, with all its categories.
type budgetMonth struct{ budget, month string }

func (m budgetMonth) key() string { return m.budget + ":" + m.month }

func (m budgetMonth) detail() sdk.Detail {
	b := jsonappend.String(jsonappend.Name([]byte{'{'}, "budget"), m.budget)
	b = append(jsonappend.String(jsonappend.Name(b, "month"), m.month), '}')
	return sdk.Detail{Key: []string{m.key()}, UpdatedAt: m.month + "T00:00:00Z", Locator: b}
}

// readDetail reads a locator from any writer.
func readDetail(d sdk.Detail) (budgetMonth, bool) {
	v, err := jsonvalue.Parse(d.Locator)
	if err != nil {
		return budgetMonth{}, false
	}
	m := budgetMonth{v.Get("budget").Str(), v.Get("month").Str()}
	return m, plainID(m.budget) && firstDay(m.month) && len(d.Key) == 1 && d.Key[0] == m.key()
}

// monthLane collects month_categories: the months are listed, and each one's detail
// contains its categories. A detail is one month, so the lane's keys name months, and
// the keys of the records begin with them.
//
// These months are due: the ones that changed since the last list, the ones that an
// earlier run left over, and always the current one and the one before, because money
// that moves between categories does not change the month's own numbers.
type monthLane struct {
	r       *run
	details *sdk.Details
	tally   *problems.Tally
	at      *place

	due     []budgetMonth // newest first
	given   int           // of due, so many were handed to Walk
	asked   int           // details
	fetched map[string]bool
	deleted map[string]bool // months that a list calls deleted, by their keys
}

func (r *run) monthCategories(*api.Client) api.Lane {
	l := &monthLane{
		r: r, tally: problems.New(r.Host, streamMonthCategories, unreadable), fetched: make(map[string]bool), deleted: make(map[string]bool),
		at: new(place).read(r.Cursor(streamMonthCategories)),
	}
	l.details = r.Details(sdk.DetailLane{
		Stream: streamMonthCategories, StateStream: streamMonthCategories,
		Request: l.request, Record: l.record, Relist: l.relist, Slice: l.slice,
	})
	return &api.DetailLane{Details: l.details, Tally: l.tally, Walk: l.walk}
}

func (l *monthLane) walk() error {
	gone := l.r.forget(streamMonthCategories, l.at)
	// A failure of one budget's list leaves the others' months to be fetched, unless no
	// request can be sent for now.
	listing := l.r.eachBudget(l.list)
	if listing == sdk.ErrStopped { //nolint:errorlint // eachBudget returns it as it is
		return listing
	}
	if gone || len(l.deleted) > 0 {
		if err := l.bury(gone); err != nil {
			return err
		}
	}
	if _, unsent := sdk.AsFetchError(listing); listing != nil && (unsent || ends(listing)) {
		return listing
	}
	slices.SortStableFunc(l.due, newestFirst)
	if err := l.details.Walk(l.next); err != nil {
		return err
	}
	if l.given < len(l.due) {
		return errWalk
	}
	for _, m := range l.due {
		l.markDone(m)
	}
	if err := l.r.save(streamMonthCategories, "months", l.at); err != nil {
		return err
	}
	return listing
}

// bury has the host make tombstones of the rows of budgets that are gone: their keys name the
// budget, so no month is asked for; some says that there are such budgets. The rows of months that YNAB calls deleted are tombstones at once.
func (l *monthLane) bury(some bool) error {
	list, err := l.r.Enumerate(streamMonthCategories, "", "")
	if err != nil {
		return err
	}
	var there [][]string
	var deleted []string
	err = list.Missing(func(key string) error {
		budget, _, _ := strings.Cut(key, ":")
		switch at := strings.LastIndexByte(key, ':'); {
		case l.deleted[key[:max(at, 0)]]:
			deleted = append(deleted, key)
		case !some || slices.Contains(l.r.budgets, budget):
			there = append(there, []string{key})
		}
		return nil
	})
	for i := 0; err == nil && i < len(deleted); i++ {
		err = l.r.Delete(streamMonthCategories, deleted[i])
	}
	if err == nil {
		err = list.Met(there...)
	}
	if err != nil {
		return err
	}
	return list.Whole()
}

// slice hands the cursor over in the middle of the months: those before rest have their
// outcome, and some behind it are fetched.
func (l *monthLane) slice(rest sdk.Detail) error {
	before := true
	for _, m := range l.due[:l.given] {
		before = before && m.key() != rest.Key[0]
		if before || l.fetched[m.key()] {
			l.markDone(m)
		}
	}
	return l.r.save(streamMonthCategories, "months."+rest.Key[0], l.at)
}

// list finds the due months of a budget.
func (l *monthLane) list(budget string) error {
	p := l.at.of(budget)
	due := make(map[string]bool)
	for _, month := range p.todo {
		due[month] = true
	}
	got, err := l.r.read(budget, months, p.knowledge)
	if err == errBack { //nolint:errorlint // rows returns it as it is
		p.knowledge = 0
		got, err = l.r.read(budget, months, 0)
	}
	if err != nil {
		return err
	}
	for it := got.rows.Children(); it.Next(); {
		month := it.Value().Get("month").Str()
		switch {
		case !firstDay(month):
			if !l.r.Wants(streamMonths) { // its own list reports it
				l.tally.Note(unreadable, "")
			}
		case it.Value().Get("deleted").Bool():
			delete(due, month)
			l.deleted[budgetMonth{budget, month}.key()] = true
			p.sums.Keep(func(kept string) bool { return kept != month })
			if t, err := time.Parse(time.DateOnly, month); err == nil && month == p.newest {
				p.newest = t.AddDate(0, -1, 0).Format(time.DateOnly)
			}
		default:
			due[month] = true
			if p.knowledge == 0 && (p.first == "" || month < p.first) {
				p.first = month
			}
		}
	}
	p.knowledge, p.todo = max(got.after, 0), p.todo[:0]
	for _, month := range l.recentMonths(p) {
		if !l.deleted[budgetMonth{budget, month}.key()] {
			due[month] = true
		}
	}
	for month := range due {
		p.todo = append(p.todo, month)
	}
	slices.Sort(p.todo)
	for _, month := range p.todo {
		l.due = append(l.due, budgetMonth{budget, month})
	}
	return nil
}

// recentMonths lists the months that are fetched again in each run.
func (l *monthLane) recentMonths(p *budgetPlace) []string {
	newest, err := time.Parse(time.DateOnly, p.newest)
	if err != nil {
		return nil // the first list has them
	}
	now := l.r.Now().UTC()
	if current := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC); newest.After(current) {
		newest = current
	}
	months := []string{newest.Format(time.DateOnly), newest.AddDate(0, -1, 0).Format(time.DateOnly)}
	return slices.DeleteFunc(months, func(month string) bool { return month < p.first })
}

// markDone notes that a month is fetched or kept as a gap.
func (l *monthLane) markDone(m budgetMonth) {
	p := l.at.of(m.budget)
	p.todo = slices.DeleteFunc(p.todo, func(month string) bool { return month == m.month })
	p.newest = max(p.newest, m.month)
	p.trim()
}

// next hands Walk one month after the other.
func (l *monthLane) next() (sdk.Detail, bool) {
	if l.given == len(l.due) {
		return sdk.Detail{}, false
	}
	l.given++
	return l.due[l.given-1].detail(), true
}

// request asks for a month.
func (l *monthLane) request(d sdk.Detail) (sdk.Request, error) {
	m, ok := readDetail(d)
	if !ok {
		return sdk.Request{}, errLocator
	}
	l.asked++
	return l.r.Get("/v1/budgets/" + m.budget + "/months/" + m.month), nil
}

// record emits the categories of a month. A month that has none is a tombstone under its own
// key: the host accepts no detail without a record. One that is listed and not found is a gap: a
// provider in trouble says 404 of all of them, and the host gives up one that is refused twice.
func (l *monthLane) record(d sdk.Detail, resp *sdk.Response) error {
	m, ok := readDetail(d)
	if !ok {
		return errLocator
	}
	if err := l.r.Check(resp); err != nil {
		return err
	}
	v, err := l.r.JSON(resp)
	if err != nil && api.EndsRun(err) {
		return err
	}
	month := v.Get("data").Get("month")
	rows := month.Get("categories")
	if err != nil || rows.Kind() != jsonvalue.Array || month.Get("month").Str() != m.month {
		return errDetail
	}
	l.fetched[m.key()] = true
	p, sum := l.at.of(m.budget), fingerprint.Sum48(rows.Raw())
	before, known := p.sums.Get(m.month)
	if p.sums.Set(m.month, sum); known && before == sum && !d.Recovering {
		return nil
	}
	if rows.Len() == 0 {
		return l.r.Delete(streamMonthCategories, m.key())
	}
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		id, rec := byID(v, ""), l.r.Record(streamMonthCategories)
		var err error
		switch {
		case id == "":
			l.tally.Note(unreadable, "")
		case v.Get("deleted").Bool():
			err = l.r.Delete(streamMonthCategories, m.key()+":"+id)
		default:
			monthCategoryRecord(rec, v, m)
			err = rec.Emit()
		}
		if err != nil {
			return err
		}
	}
	return l.r.Progress("reading "+strconv.Itoa(l.asked)+" of "+strconv.Itoa(len(l.due))+" months", -1, -1, "")
}

// relist lists the months of all budgets again, newest first.
func (l *monthLane) relist(until string, visit func(sdk.Detail) bool) error {
	if len(l.r.budgets) == 0 {
		if err := l.r.nameBudgets(); err != nil {
			return err
		}
	}
	var all []budgetMonth
	for _, budget := range l.r.budgets {
		got, err := l.r.read(budget, months, 0)
		if err != nil {
			return err
		}
		for it := got.rows.Children(); it.Next(); {
			m := budgetMonth{budget, it.Value().Get("month").Str()}
			if firstDay(m.month) && !it.Value().Get("deleted").Bool() && m.month+"T00:00:00Z" <= until {
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, newestFirst)
	for _, m := range all {
		if !visit(m.detail()) {
			break
		}
	}
	return nil
}

func newestFirst(a, b budgetMonth) int { return strings.Compare(b.month, a.month) }

// Errors that make a gap of one detail.
var (
	errLocator = errors.New("the locator of a gap was not written by this connector")
	errDetail  = errors.New("a month does not have the documented form")
	errWalk    = errors.New("the months were not requested")
)
