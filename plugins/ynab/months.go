package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// monthList is one answer about a budget's months.
type monthList struct {
	rows  jsonvalue.Value
	after int64
}

// listMonths asks for a budget's months, once for each request: two streams need them.
func (r *run) listMonths(budget string, knowledge int64) (monthList, error) {
	question := budget + " " + strconv.FormatInt(knowledge, 10)
	if l, ok := r.listed[question]; ok {
		return l, nil
	}
	rows, after, err := r.c.rows(budget, "/months", "months", knowledge)
	if err != nil {
		return monthList{}, err
	}
	l := monthList{rows, after}
	r.listed[question] = l
	return l, nil
}

func byMonth(v jsonvalue.Value, budget string) string {
	if month := v.Get("month").Str(); firstDay(month) {
		return budget + "|" + month
	}
	return ""
}

// months collects the stream of that name.
func (r *run) months() error {
	cur, err := r.ownCursor(streamMonths)
	if err != nil {
		return err
	}
	s := &builder{stream: streamMonths}
	l := list{stream: streamMonths, key: byMonth, record: monthRecord, cur: cur}
	err = r.eachBudget(func(budget string) error {
		p := cur.forBudget(budget)
		for i, pass := range p.passes() {
			answer, err := r.listMonths(budget, pass.knowledge)
			if err != nil {
				return err
			}
			l.graves = pass.graves
			p.beginPass(pass)
			if err := r.rows(l, s, answer.rows, budget); err != nil {
				return err
			}
			p.advance(i, answer.after)
		}
		p.stale = false
		return r.slice(streamMonths, cur, budget)
	})
	return r.reported(err, s)
}
