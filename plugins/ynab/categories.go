package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// categories collects category_groups and categories from one answer: groups, each with
// its categories. Each stream has its own knowledge, so the request is the one that the
// stream further behind needs.
func (r *run) categories() error {
	groups, members := &builder{stream: streamGroups}, &builder{stream: streamCategories}
	at := map[string]cursor{}
	for _, stream := range []string{streamGroups, streamCategories} {
		if !r.h.Wants(stream) {
			continue
		}
		cur, err := r.ownCursor(stream)
		if err != nil {
			return err
		}
		at[stream] = cur
	}
	err := r.eachBudget(func(budget string) error {
		read := make(map[string]bool)
		for stream, cur := range at {
			read[stream] = cur.forBudget(budget).knowledge > 0
		}
		for i, pass := range combinedPasses(at, budget) {
			rows, after, err := r.c.rows(budget, "/categories", "category_groups", pass.knowledge)
			if err != nil {
				return err
			}
			for _, cur := range at {
				cur.forBudget(budget).beginPass(pass)
			}
			if err := r.groups(rows, at, groups, members, budget, pass.graves, read); err != nil {
				return err
			}
			for _, cur := range at {
				cur.forBudget(budget).advance(i, after)
			}
		}
		for _, stream := range sorted(at) {
			at[stream].forBudget(budget).stale = false
			if err := r.slice(stream, at[stream], budget); err != nil {
				return err
			}
		}
		return nil
	})
	return r.reported(err, groups, members)
}

// combinedPasses returns the passes for several cursors that one answer serves. A stream that
// was never read needs everything, and must not make the others miss the entities
// deleted since their last read.
func combinedPasses(at map[string]cursor, budget string) []pass {
	all := budgetState{}
	for _, cur := range at {
		p := cur.forBudget(budget)
		all.stale = all.stale || p.stale || p.knowledge == 0
		if p.knowledge > 0 && (all.knowledge == 0 || p.knowledge < all.knowledge) {
			all.knowledge = p.knowledge
		}
	}
	return all.passes()
}

// groups emits the rows of one answer; with graves only the tombstones, and only for
// streams that were read before.
func (r *run) groups(
	rows jsonvalue.Value, at map[string]cursor, groups, members *builder, budget string, graves bool, read map[string]bool,
) error {
	g := list{stream: streamGroups, key: byID, record: groupRecord, graves: graves, cur: at[streamGroups]}
	for it := rows.Children(); it.Next(); {
		group := it.Value()
		if !graves || read[streamGroups] {
			if err := r.row(g, groups, group, budget); err != nil {
				return err
			}
		}
		if graves && !read[streamCategories] {
			continue
		}
		list := list{stream: streamCategories, key: byID, graves: graves, cur: at[streamCategories], record: func(s *builder, v jsonvalue.Value, budget string) string {
			return categoryRecord(s, v, group, budget)
		}}
		if err := r.rows(list, members, group.Get("categories"), budget); err != nil {
			return err
		}
	}
	return nil
}
