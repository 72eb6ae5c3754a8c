package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// categories collects category_groups and categories, which one answer holds:
// groups, each with its categories. Each stream has its own place, so the answer
// is the one that the stream further behind needs.
func (r *run) categories() error {
	groups, members := &shape{stream: streamGroups}, &shape{stream: streamCategories}
	at := map[string]cursor{}
	for _, stream := range []string{streamGroups, streamCategories} {
		if r.h.Wants(stream) {
			at[stream] = r.ownCursor(stream)
		}
	}
	err := r.eachBudget(func(budget string) error {
		for _, knowledge := range together(at, budget) {
			rows, after, err := r.c.rows(budget, "/categories", "category_groups", knowledge)
			if err != nil {
				return err
			}
			if err := r.groups(rows, groups, members, budget); err != nil {
				return err
			}
			for _, cur := range at {
				cur.at(budget).knowledge = max(after, cur.at(budget).knowledge)
			}
		}
		for _, stream := range sorted(at) {
			at[stream].at(budget).stale = false
			if err := r.slice(stream, at[stream], budget); err != nil {
				return err
			}
		}
		return nil
	})
	return r.reported(err, groups, members)
}

// together is passes for several cursors that one answer serves.
func together(at map[string]cursor, budget string) []int64 {
	knowledge, stale := int64(-1), false
	for _, cur := range at {
		p := cur.at(budget)
		if knowledge < 0 || p.knowledge < knowledge {
			knowledge = p.knowledge
		}
		stale = stale || p.stale
	}
	return (&place{knowledge: max(knowledge, 0), stale: stale}).passes()
}

// groups emits the rows of one answer.
func (r *run) groups(rows jsonvalue.Value, groups, members *shape, budget string) error {
	g := list{stream: streamGroups, key: byID, record: groupRecord}
	for it := rows.Children(); it.Next(); {
		group := it.Value()
		if err := r.row(g, groups, group, budget); err != nil {
			return err
		}
		list := list{stream: streamCategories, key: byID, record: func(s *shape, v jsonvalue.Value, budget string) string {
			return categoryRecord(s, v, group, budget)
		}}
		if err := r.rows(list, members, group.Get("categories"), budget); err != nil {
			return err
		}
	}
	return nil
}
