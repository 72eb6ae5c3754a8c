package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var lists = map[string][]string{
	"/accounts": {streamAccountStats, streamAccounts}, "/categories": {streamCategories, streamGroups}, "/payees": {streamPayees},
	"/payee_locations": {streamLocations}, "/transactions": {streamTransactions}, "/scheduled_transactions": {streamScheduled},
}

// same compares the store with the provider.
func (w *world) same(name string) {
	w.T.Helper()
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
		for kind, stream := range map[ynab.Kind]string{
			ynab.Accounts: streamAccounts, ynab.Groups: streamGroups, ynab.Categories: streamCategories, ynab.Payees: streamPayees,
			ynab.Locations: streamLocations, ynab.Transactions: streamTransactions, ynab.Scheduled: streamScheduled, ynab.Months: streamMonths,
		} {
			var want, got []string
			details := 0
			for _, b := range budgets {
				for _, e := range b.Lists[kind] {
					if e.Fields["deleted"] == true {
						continue
					}
					key := fmt.Sprint(e.Fields["id"])
					if kind == ynab.Months {
						key = fmt.Sprint(b.ID(), "|", e.Fields["month"])
						list, _ := e.Fields["categories"].([]ynab.Object)
						details += len(list)
					}
					want = append(want, key)
				}
			}
			for key := range w.Rows[stream] {
				got = append(got, key)
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				w.T.Errorf("%s: %s: got %v, want %v", name, stream, got, want)
			}
			if kind == ynab.Months && len(w.Rows[streamMonthCategories]) != details {
				w.T.Errorf("%s: %d month_categories, want %d", name, len(w.Rows[streamMonthCategories]), details)
			}
		}
		return budgets
	})
}

// One stream that fails is reported, does not stop the others, and is complete after a
// run without the fault.
func TestFaultsOfOneStream(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		f    fault.Fault
		text string
	}{
		"429 with Retry-After":    {fault.Throttle("30"), "ynab_rate_limited"},
		"429 without Retry-After": {fault.Throttle(""), "ynab_rate_limited"},
		"404":                     {fault.Status(404, `{"error":{"id":"404.2","name":"resource_not_found","detail":"x"}}`), "ynab_http_404"},
		"403":                     {fault.Status(403, `{"error":{"id":"403.4","name":"data_limit_reached","detail":"x"}}`), "ynab_http_403"},
		"500":                     {fault.Status(500, "oops"), "retryable status 500"},
		"503":                     {fault.Status(503, `{"error":{"id":"503"}}`), "retryable status 503"},
		"broken JSON":             {fault.BrokenJSON(), codeMalformed},
		"a short body":            {fault.Truncated(), codeMalformed},
		"a page for people":       {fault.Status(200, "<html>sorry</html>", "Content-Type", "text/html"), codeMalformed},
		"no data":                 {fault.Status(200, `{"data":{"message":"hello"}}`), codeMalformed},
		"a 304 out of the blue":   {fault.Status(304, ""), codeMalformed},
	}
	for path, streams := range lists {
		for name, c := range faults {
			w := newWorld(t, budget(1, 2, 2), budget(2, 1, 1))
			w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + path), Times: -1, Fault: c.f})
			res := w.run()
			if e := res.Done.Error; e == nil || e.Code != "stream_collection_failed" || !e.Retryable || !strings.Contains(e.Message, c.text) {
				t.Errorf("%s, %s: %+v, want e not nil, e.Code = stream_collection_failed, e.Retryable and %v in e.Message", path, name, res.Done.Error, c.text)
			}
			var want []string
			for _, stream := range streams {
				want = append(want, stream+":stream_collection_failed")
			}
			// The accounts' types are a part of the transactions.
			if path == "/accounts" {
				want = append(want, streamTransactions+":stream_collection_failed")
			}
			if got := reasons(res); got != strings.Join(want, ",") {
				t.Errorf("%s, %s: %s, want %s", path, name, got, strings.Join(want, ","))
			}
			w.p.Faults.Clear()
			w.Pass(time.Hour)
			w.OK(w.run())
			w.same(path + ", " + name)
		}
	}
}

// RT-23.1 for the request that every run begins with.
func TestRateLimitedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 1))
	w.p.Faults.Add(fault.Rule{Times: -1, Fault: fault.Throttle("")})
	res := w.run()
	if e := res.Done.Error; e == nil || e.Code != "ynab_rate_limited" || e.Message != "ynab_rate_limited" || !e.Retryable {
		t.Errorf("%+v, want e not nil, e.Code = ynab_rate_limited, e.Message = ynab_rate_limited and e.Retryable", res.Done.Error)
	}
}

// A 429 in the middle of a budget keeps the rows that came before it.
func TestRateLimitedMidRun(t *testing.T) {
	t.Parallel()
	for after := 1; after < 12; after++ {
		w := newWorld(t, budget(1, 2, 5))
		w.p.Faults.Add(fault.Rule{After: after, Times: -1, Fault: fault.Throttle("")})
		first := w.run()
		if first.Done.Status == abi.DoneSucceeded && len(first.Gaps) == 0 {
			t.Errorf("after %d: %+v, want a failure or a gap", after, first.Done)
		}
		for _, g := range first.Gaps {
			if g.Reason != "rate_limited" {
				t.Errorf("%+v, want g.Reason = rate_limited", g)
			}
		}
		w.p.Faults.Clear()
		w.Pass(time.Hour)
		w.OK(w.run(trial.Served(first)))
		w.same("limited")
	}
}

// The token, or the subscription, expires at any moment: the run ends there, says what
// to do, and nothing is lost.
func TestTokenExpiresMidRun(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		w := newWorld(t, budget(1, 2, 3))
		w.p.ExpireToken(n)
		res := w.run()
		if res.Done.Status == abi.DoneSucceeded {
			break
		}
		if e := res.Done.Error; e == nil || e.Code != codeAuthFailed || !strings.Contains(string(e.RecoveryHint), "refresh_credentials") {
			t.Fatalf("after %d: %+v, want e not nil, e.Code = %v and refresh_credentials in e.RecoveryHint", n, res.Done.Error, codeAuthFailed)
		}
		if asked := len(w.p.Requests()); asked > n+4 {
			t.Errorf("after %d: %d requests were made, want at most %d", n, asked, n+4)
		}
		w.p.ExpireToken(-1)
		w.Pass(time.Hour)
		w.OK(w.run())
		w.same("expired")
	}
	w := newWorld(t, budget(1, 1, 1))
	w.p.Faults.Add(fault.Rule{After: 3, Times: -1, Fault: fault.Status(403, `{"error":{"id":"403.1","name":"subscription_lapsed","detail":"x"}}`)})
	if res := w.run(); res.Done.Error == nil || res.Done.Error.Code != codeLapsed || len(w.p.Requests()) != 4 ||
		string(res.Done.Error.RecoveryHint) != `"manual_action_required"` { // HL-29.2: only the owner can renew it
		t.Errorf("%+v, %d requests, want the lapsed subscription after 4 requests, for the owner to renew", res.Done.Error, len(w.p.Requests()))
	}
}

func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	res := w.run(func(o *sdktest.Options) { o.Credentials = nil })
	if e := res.Done.Error; e == nil || !strings.Contains(e.Message, "YNAB_PERSONAL_ACCESS_TOKEN") || len(res.Requests) != 0 {
		t.Errorf("%+v, want e not nil, YNAB_PERSONAL_ACCESS_TOKEN in e.Message and len(res.Requests) = 0", res.Done)
	}
}

// A stop at any call, and then a run to the end: nothing lost, little repeated.
func TestResumeAfterEveryStop(t *testing.T) {
	t.Parallel()
	world := func() *world { return newWorld(t, budget(1, 2, 15), budget(2, 1, 14)) }
	whole := world()
	all := whole.OK(whole.run())
	requests := len(whole.p.Requests())
	for stop := 1; stop <= len(all.Calls); stop += 2 {
		w := world()
		w.pace(3 * time.Second)
		first := w.run(trial.StopAfter(stop))
		if first.Done.Status != abi.DoneCancelled && first.Done.Status != abi.DoneSucceeded {
			t.Fatalf("stop %d: %+v, want cancelled or succeeded", stop, first.Done)
		}
		w.Pass(time.Minute)
		second := w.OK(w.run())
		w.same(fmt.Sprint("stop ", stop))
		if len(second.Gaps) > 0 {
			t.Errorf("stop %d: the second run leaves gaps, want none", stop)
		}
		// Two months of each budget are read in each run; four are in flight.
		if again := len(w.p.Requests()) - requests; again > 1+14+4+4 {
			t.Errorf("stop %d: %d requests more than without, want at most 1+14+4+4", stop, again)
		}
	}
}

// A field of another type becomes null and is reported. A row that cannot be a record
// is reported, and a later build reads it again.
func TestSchemaDrift(t *testing.T) {
	t.Parallel()
	for kind, path := range map[byte]string{
		'a': "/accounts", 'c': "/categories", 'f': "/payees", 'h': "/payee_locations", 'e': "/transactions", 'g': "/scheduled_transactions",
	} {
		w := newWorld(t, budget(1, 3, 2))
		key := id(kind, 1, 2)
		w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + path), Times: -1, Fault: fault.Replace(
			`"id":"`+key+`"`, `"id":{"value":"`+key+`"}`)})
		res := w.OK(w.run())
		if !strings.Contains(reasons(res), reasonShape) {
			t.Errorf("%s: %s, want %v in it", path, reasons(res), reasonShape)
		}
		w.p.Faults.Clear()
		w.edit(func(b *ynab.Budget) { b.Delete(ynab.Payees, id('f', 1, 1)) })
		w.Pass(time.Hour)
		for name, cursor := range w.State { // as another build would find them
			w.State[name] = strings.ReplaceAll(cursor, `"v":2`, `"v":1`)
		}
		w.OK(w.run())
		w.same("after an upgrade: " + path)
	}
}

// A row without a usable key makes no row look deleted.
func TestUnreadableRowsBuryNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, id string }{
		{"/" + budgetID(1) + "/accounts", id('a', 1, 2)}, {"/" + budgetID(1) + "/payee_locations", id('h', 1, 2)}, {"", budgetID(2)},
	} {
		w := newWorld(t, budget(1, 3, 2), budget(2, 2, 2))
		w.OK(w.run())
		w.p.Faults.Add(fault.Rule{
			Match: func(r *http.Request) bool { return r.URL.Path == "/v1/budgets"+c.path }, Times: -1,
			Fault: fault.Replace(`"id":"`+c.id+`"`, `"id":null`),
		})
		w.Pass(time.Hour)
		res := w.OK(w.run())
		if !strings.Contains(reasons(res), reasonShape) {
			t.Errorf("%v, want %v in it", reasons(res), reasonShape)
		}
		w.same("unreadable " + c.path)
		w.p.Faults.Clear()
		w.Pass(time.Hour)
		if again := w.OK(w.run()); len(again.Changes()) != 0 {
			t.Errorf("%s: %d changes when it is as before, want 0", c.path, len(again.Changes()))
		}
	}
}

// While the host sends nothing for now, the next budget is not tried either.
func TestNoNextBudgetWhileNothingIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 1), budget(2, 1, 1))
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/payees"), Times: -1, Fault: fault.Throttle("")})
	w.run()
	for _, r := range w.p.Requests() {
		if r.Path == "/v1/budgets/"+budgetID(2)+"/payees" {
			t.Error("the second budget was tried")
		}
	}
	w.Holds(streamLocations, id('h', 1, 1), id('h', 2, 1))
}

func TestOddFieldsBecomeNull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 2))
	w.p.Faults.Add(
		fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/transactions"), Times: -1, Fault: fault.Replace(`"amount":-5002`, `"amount":-5.002`)},
		fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/payees"), Times: -1, Fault: fault.Replace(`"name":"payee 2",`, ``)},
		fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/accounts"), Times: -1, Fault: fault.Replace(`"closed":false`, `"closed":"no"`)},
		fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/months/"), Times: -1, Fault: fault.Replace(`"goal_creation_month":"2026-01-01"`, `"goal_creation_month":"January"`)},
	)
	res := w.OK(w.run())
	for stream, want := range map[string]map[string]int{
		streamTransactions: {"amount": 1}, streamPayees: {"name": 1}, streamAccounts: {"closed": 3}, streamMonthCategories: {"goal_creation_month": 4},
	} {
		told := false
		for _, s := range res.Skips {
			var d struct {
				Count  int      `json:"count"`
				Fields []string `json:"fields"`
			}
			if s.Stream == stream && s.Reason == "field_type_changed" && json.Unmarshal(s.Diagnostics, &d) == nil {
				told = len(d.Fields) == 1 && d.Count == want[d.Fields[0]]
			}
		}
		if !told {
			t.Errorf("%s: %v is not reported", stream, want)
		}
	}
	w.same("odd fields")
}

// The provider changes while a run reads it: the next run has everything.
func TestChangesMidRun(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 12; n++ {
		w := newWorld(t, budget(1, 3, 3))
		w.at(n, func() {
			w.edit(func(b *ynab.Budget) {
				b.Put(ynab.Transactions, transaction(1, 7))
				b.Delete(ynab.Transactions, id('e', 1, 1))
				b.Delete(ynab.Accounts, id('a', 1, 3))
				b.Put(ynab.Categories, category(1, 8))
				b.Delete(ynab.Payees, id('f', 1, 1))
				b.Put(ynab.Months, month(1, 4))
				b.Delete(ynab.Locations, id('h', 1, 1))
			})
		})
		w.OK(w.run())
		w.p.Before(nil)
		w.Pass(time.Hour)
		w.OK(w.run())
		w.same(fmt.Sprint("changed before request ", n))
	}
}

// At the governor's floor the documented limit is never reached: the clock
// moves 18 seconds with each request here.
func TestWithinTheDocumentedLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.p = ynab.New(ynab.Options{Token: trial.Token, Now: w.Now, Enforce: true}, budget(1, 2, 230))
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	w.pace(time.Duration(m.Requirements.Network.Provider.MinIntervalMS) * time.Millisecond)
	w.OK(w.run())
	w.same("paced")
	if len(w.p.Requests()) < ynab.Limit {
		t.Errorf("%d requests prove nothing, want at least %d", len(w.p.Requests()), ynab.Limit)
	}
}
