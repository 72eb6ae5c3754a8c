package main

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
)

// AC-12: where the server's knowledge goes back, as behind a restored backup, an answer
// without changes says nothing: every list is read anew, and what the backup lacks is gone.
func TestKnowledgeGoesBack(t *testing.T) {
	t.Parallel()
	backup := budget(1, 2, 14)
	w := newWorld(t, budget(1, 2, 14), budget(2, 1, 2))
	w.edit(func(b *ynab.Budget) {
		b.Put(ynab.Payees, ynab.Object{"id": id('f', 1, 9), "name": "new", "transfer_account_id": nil})
		b.Put(ynab.Transactions, transaction(1, 9))
		b.Put(ynab.Scheduled, plan(1, 9))
		b.Put(ynab.Categories, category(1, 9))
	})
	w.OK(w.run())
	w.Pass(time.Hour)
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return append([]*ynab.Budget{backup}, budgets[1:]...) })
	res := w.OK(w.run())
	w.same("behind the backup")
	for _, stream := range []string{streamPayees, streamTransactions, streamScheduled, streamCategories} {
		if got := len(buried(res, stream)); got != 1 {
			t.Errorf("%d tombstones in %s, want 1", got, stream)
		}
	}
	w.Pass(time.Minute)
	if res = w.OK(w.run()); len(res.Changes()) != 0 {
		t.Errorf("the run after: %d changes, want 0", len(res.Changes()))
	}
}
