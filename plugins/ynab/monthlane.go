package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

const (
	// keptPrints is how many fingerprints of its newest months a budget's cursor keeps,
	// so that a month that is fetched again emits nothing twice.
	keptPrints = 4
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
	builder builder
	cur     cursor

	due     []budgetMonth // newest first
	given   int           // of due, so many were handed to Walk
	asked   int           // details
	fetched map[string]bool
}

func (r *run) newLane() *monthLane {
	l := &monthLane{r: r, builder: builder{stream: streamMonthCategories}, fetched: make(map[string]bool)}
	l.cur = readCursor(r.h.Cursor(streamMonthCategories))
	for budget, p := range readCursor(r.h.Previous(streamMonthCategories)) {
		l.cur.forBudget(budget).keys = p.keys // a full refresh knows nothing else
	}
	if r.h.Wants(streamMonthCategories) {
		l.details = r.h.Details(sdk.DetailLane{
			Stream: streamMonthCategories, StateStream: streamMonthCategories,
			Request: l.request, Record: l.record, Relist: l.relist, Slice: l.slice,
		})
	}
	return l
}

// close reports the mismatches, and ends the lane.
func (l *monthLane) close() error {
	if err := l.builder.report(l.r.h); err != nil {
		return err
	}
	return l.details.Close()
}

func (l *monthLane) collect() error {
	if _, err := l.r.bury(streamMonthCategories, l.cur); err != nil {
		return err
	}
	// A failure of one budget's list leaves the others' months to be fetched, unless no
	// request can be sent for now.
	listing := l.r.eachBudget(l.list)
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
	if err := l.r.slice(streamMonthCategories, l.cur, "months"); err != nil {
		return err
	}
	return listing
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
	return l.r.slice(streamMonthCategories, l.cur, "months."+rest.Key[0])
}

// list finds the due months of a budget.
func (l *monthLane) list(budget string) error {
	p := l.cur.forBudget(budget)
	due := make(map[string]bool)
	for _, month := range p.todo {
		due[month] = true
	}
	for i, pass := range p.passes() {
		answer, err := l.r.listMonths(budget, pass.knowledge)
		if err != nil {
			return err
		}
		for it := answer.rows.Children(); it.Next(); {
			month := it.Value().Get("month").Str()
			switch {
			case !firstDay(month):
				if !l.r.h.Wants(streamMonths) { // its own list reports it
					l.builder.dropRow()
				}
			case it.Value().Get("deleted").Bool():
				delete(due, month)
			default:
				due[month] = true
				if pass.knowledge == 0 && (p.first == "" || month < p.first) {
					p.first = month
				}
			}
		}
		p.advance(i, answer.after)
	}
	p.stale = false
	for _, month := range l.recentMonths(p) {
		due[month] = true
	}
	p.todo = sorted(due)
	for _, month := range p.todo {
		l.due = append(l.due, budgetMonth{budget, month})
	}
	return nil
}

// recentMonths lists the months that are fetched again in each run.
func (l *monthLane) recentMonths(p *budgetState) []string {
	if p.newest == "" {
		return nil // the first list has them
	}
	now := l.r.h.Now().UTC()
	current := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	newest, err := time.Parse(time.DateOnly, p.newest)
	if err != nil {
		return nil
	}
	if newest.After(current) {
		newest = current
	}
	months := []string{newest.Format(time.DateOnly), newest.AddDate(0, -1, 0).Format(time.DateOnly)}
	return slices.DeleteFunc(months, func(month string) bool { return month < p.first })
}

// markDone notes that a month is fetched or kept as a gap. A run that moves no cursor
// may fill the gap, so the keys of such a month are no longer certain.
func (l *monthLane) markDone(m budgetMonth) {
	p := l.cur.forBudget(m.budget)
	p.partial = p.partial || !l.fetched[m.key()]
	p.todo = slices.DeleteFunc(p.todo, func(month string) bool { return month == m.month })
	if m.month > p.newest {
		p.newest = m.month
	}
	for len(p.months) > keptPrints {
		delete(p.months, sorted(p.months)[0])
	}
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
	return l.r.c.request("/budgets/" + m.budget + "/months/" + m.month), nil
}

// record emits the categories of a month. A month that no longer exists, or has no
// categories, is a tombstone under its own key: the host accepts no detail without a
// record.
func (l *monthLane) record(d sdk.Detail, resp *sdk.Response) error {
	m, ok := readDetail(d)
	if !ok {
		return errLocator
	}
	if resp.Status == statusNotFound {
		l.fetched[m.key()] = true
		return l.emitEmptyMonth(m, d.Recovering)
	}
	if err := l.r.c.check(resp); err != nil {
		return err
	}
	data, err := l.r.c.data(resp)
	rows := data.Get("month").Get("categories")
	if err != nil || rows.Kind() != jsonvalue.Array || data.Get("month").Get("month").Str() != m.month {
		return errDetail
	}
	l.fetched[m.key()] = true
	p := l.cur.forBudget(m.budget)
	sum := printOf(rows.Raw())
	if p.months[m.month] == sum && !d.Recovering {
		return nil
	}
	if rows.Len() == 0 {
		return l.emitEmptyMonth(m, d.Recovering)
	}
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		id := v.Get("id").Str()
		if !plainID(id) {
			l.builder.dropRow()
			continue
		}
		if key := monthCategoryKey(m.budget, m.month, id); v.Get("deleted").Bool() {
			l.cur.forget(m.budget, key)
			err = l.r.h.Delete(streamMonthCategories, key)
		} else {
			l.cur.remember(m.budget, key)
			monthCategoryRecord(&l.builder, v, m.budget, m.month)
			err = l.r.h.EmitRaw(streamMonthCategories, key, l.builder.data())
		}
		if err != nil {
			return err
		}
	}
	p.months[m.month] = sum
	return l.r.h.Progress("reading "+strconv.Itoa(l.asked)+" of "+strconv.Itoa(len(l.due))+" months", -1, -1, "")
}

// emitEmptyMonth emits that a month has no categories: once, and again when it recovers a gap.
func (l *monthLane) emitEmptyMonth(m budgetMonth, recovering bool) error {
	p, sum := l.cur.forBudget(m.budget), printOf(nil)
	if p.months[m.month] == sum && !recovering {
		return nil
	}
	p.months[m.month] = sum
	return l.r.h.Delete(streamMonthCategories, m.key())
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
		answer, err := l.r.listMonths(budget, 0)
		if err != nil {
			return err
		}
		for it := answer.rows.Children(); it.Next(); {
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

func newestFirst(a, b budgetMonth) int {
	switch {
	case a.month > b.month:
		return -1
	case a.month < b.month:
		return 1
	}
	return 0
}

// laneError is an error that makes a gap of one detail.
type laneError string

func (e laneError) Error() string { return string(e) }

const (
	errLocator laneError = "the locator of a gap was not written by this connector"
	errDetail  laneError = "a month does not have the documented form"
	errWalk    laneError = "the months were not requested"
)
