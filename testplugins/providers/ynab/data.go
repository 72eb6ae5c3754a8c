package ynab

import (
	"maps"
	"slices"
)

// Kind is a list of a budget, by the name of its JSON member.
type Kind string

// The lists.
const (
	Accounts     Kind = "accounts"
	Groups       Kind = "category_groups"
	Categories   Kind = "categories"
	Payees       Kind = "payees"
	Locations    Kind = "payee_locations"
	Transactions Kind = "transactions"
	Scheduled    Kind = "scheduled_transactions"
	Months       Kind = "months" // by first day; its Categories are listed below "categories"
)

// Object is an entity as the API shows it.
type Object = map[string]any

// Budget is one budget.
type Budget struct {
	Summary   Object // as in the list of budgets
	Knowledge int64
	Lists     map[Kind][]*Entity
}

// Entity is one entity and when it last changed.
type Entity struct {
	Fields    Object
	Knowledge int64
}

// NewBudget returns an empty budget.
func NewBudget(id, name string) *Budget {
	return &Budget{
		Summary: Object{
			"id": id, "name": name, "last_modified_on": "2026-04-24T10:30:00Z", "first_month": "2026-01-01", "last_month": "2026-04-01",
			"date_format": Object{"format": "MM/DD/YYYY"},
			"currency_format": Object{
				"iso_code": "USD", "example_format": "123,456.78", "decimal_digits": 2, "decimal_separator": ".", "symbol_first": true,
				"group_separator": ",", "currency_symbol": "$", "display_symbol": true,
			},
		},
		Knowledge: 1,
		Lists:     map[Kind][]*Entity{},
	}
}

// ID returns the budget's id.
func (b *Budget) ID() string {
	id, _ := b.Summary["id"].(string)
	return id
}

// key names an entity within its list.
func key(kind Kind, o Object) any {
	if kind == Months {
		return o["month"]
	}
	return o["id"]
}

// Put adds an entity, or updates fields of the one with its id.
func (b *Budget) Put(kind Kind, fields Object) {
	b.Knowledge++
	for _, e := range b.Lists[kind] {
		if key(kind, e.Fields) == key(kind, fields) {
			merged := maps.Clone(e.Fields)
			maps.Copy(merged, fields)
			e.Fields, e.Knowledge = merged, b.Knowledge
			return
		}
	}
	fields = maps.Clone(fields)
	if _, ok := fields["deleted"]; !ok {
		fields["deleted"] = false
	}
	b.Lists[kind] = append(b.Lists[kind], &Entity{Fields: fields, Knowledge: b.Knowledge})
}

// Delete marks an entity as deleted: a delta contains it, a full list does not.
func (b *Budget) Delete(kind Kind, id string) {
	b.Knowledge++
	for _, e := range b.Lists[kind] {
		if key(kind, e.Fields) == id {
			fields := maps.Clone(e.Fields)
			fields["deleted"] = true
			e.Fields, e.Knowledge = fields, b.Knowledge
		}
	}
}

// changed returns the answer to a request with that knowledge.
func (b *Budget) changed(kind Kind, knowledge int64) []Object {
	rows := []Object{}
	for _, e := range b.Lists[kind] {
		if knowledge > 0 && e.Knowledge <= knowledge || knowledge == 0 && e.Fields["deleted"] == true {
			continue
		}
		rows = append(rows, e.Fields)
	}
	return rows
}

// groups returns the category groups, each with its categories. A delta contains an
// unchanged group when one of its categories changed.
func (b *Budget) groups(knowledge int64) []Object {
	rows, categories := []Object{}, b.changed(Categories, knowledge)
	own := b.changed(Groups, knowledge)
	for _, e := range b.Lists[Groups] {
		row := maps.Clone(e.Fields)
		members := []Object{}
		for _, c := range categories {
			if c["category_group_id"] == row["id"] {
				members = append(members, c)
			}
		}
		changed := slices.ContainsFunc(own, func(o Object) bool { return o["id"] == row["id"] })
		if !changed && len(members) == 0 {
			continue
		}
		row["categories"] = members
		rows = append(rows, row)
	}
	return rows
}

// summaries returns months without their categories.
func (b *Budget) summaries(knowledge int64) []Object {
	rows := b.changed(Months, knowledge)
	for i, row := range rows {
		row = maps.Clone(row)
		delete(row, "categories")
		rows[i] = row
	}
	return rows
}

// month returns one month whole.
func (b *Budget) month(first string) Object {
	for _, e := range b.Lists[Months] {
		if e.Fields["month"] == first && e.Fields["deleted"] != true {
			row := maps.Clone(e.Fields)
			if row["categories"] == nil {
				row["categories"] = []Object{}
			}
			return row
		}
	}
	return nil
}
