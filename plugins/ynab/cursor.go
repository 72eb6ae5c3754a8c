package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

const (
	// version is that of place. Raise it when records are built differently: the next run then
	// reads everything anew.
	version = 2
	// formatBefore is the format of a cursor of before, which had the budgets as its members.
	formatBefore = 1
	// budgetsRoom is more bytes than the budgets of a cursor have.
	budgetsRoom = 4 << 20
	// maxTodo is more months than a budget has.
	maxTodo = 10_000
	// keptSums is how many fingerprints of its newest months a budget's cursor keeps, so that
	// a month that is fetched again emits nothing twice.
	keptSums = 4
)

// place is a stream's cursor.
type place struct {
	due     bool // the lists are to be read whole: they could not be in the last run
	budgets map[string]*budgetPlace
}

// Members implements cursor.Value.
func (p *place) Members(m *cursor.Members) {
	m.Flag("due", &p.due)
	cursor.Map(m, "budgets", &p.budgets, budgetsRoom)
}

// budgetPlace is what a stream's cursor knows of one budget.
type budgetPlace struct {
	knowledge int64    // the provider's own position; 0: never read
	day       string   // account_stats: the last one
	todo      []string // month_categories: months that were listed and not accounted for
	newest    string   // month_categories: the newest month that was fetched
	first     string   // month_categories: the first month there is; "": not known

	sums cursor.Sums // month_categories: the fingerprints of the newest months' answers
}

// Members implements cursor.Value.
func (p *budgetPlace) Members(m *cursor.Members) {
	m.Int("server_knowledge", &p.knowledge)
	m.Text("observed_on", &p.day)
	m.Texts("todo", &p.todo, maxTodo)
	m.Text("last_fetched_month", &p.newest)
	m.Text("first_month", &p.first)
	m.Sums("sums", &p.sums)
	p.knowledge = max(p.knowledge, 0)
	p.todo = slices.DeleteFunc(p.todo, func(month string) bool { return !firstDay(month) })
}

// read reads a stream's cursor.
func (p *place) read(from jsonvalue.Value) *place {
	if !cursor.Read(from, version, p) && !from.Get("v").Exists() {
		for it := from.Children(); it.Next(); {
			if it.Value().Kind() != jsonvalue.Object {
				continue // the host's own members
			}
			one := p.of(it.Name().Str())
			cursor.Fill(it.Value(), one)
			p.due = p.due || it.Value().Get("format").Int() != formatBefore
		}
	}
	return p
}

// of returns a budget's part, a new one when there is none.
func (p *place) of(budget string) *budgetPlace {
	if p.budgets == nil {
		p.budgets = make(map[string]*budgetPlace)
	}
	if p.budgets[budget] == nil {
		p.budgets[budget] = &budgetPlace{}
	}
	return p.budgets[budget]
}

// knowledge is what a stream knows of a budget; 0: it was never read.
func (p *place) knowledge(budget string) int64 {
	if one := p.budgets[budget]; one != nil {
		return one.knowledge
	}
	return 0
}

// forget forgets the budgets that are gone, and reports whether there were any, also in the
// cursor from before a full refresh.
func (r *run) forget(stream string, p *place) (gone bool) {
	for _, known := range []*place{p, new(place).read(r.Previous(stream))} {
		for budget := range known.budgets {
			if !r.unsure && !slices.Contains(r.budgets, budget) {
				delete(known.budgets, budget)
				gone = true
			}
		}
	}
	return gone
}

// save hands a stream's cursor over.
func (r *run) save(stream, slice string, p *place) error {
	return r.Slice(stream, slice, cursor.Encode(version, sdk.Account{}, p))
}

// trim forgets the fingerprints of all but the newest months.
func (p *budgetPlace) trim() {
	months := p.sums.Keys()
	months = months[max(0, len(months)-keptSums):]
	p.sums.Keep(func(month string) bool { return slices.Contains(months, month) })
}
