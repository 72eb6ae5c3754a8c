package main

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// The streams.
const (
	streamBudgets         = "budgets"
	streamAccounts        = "accounts"
	streamAccountStats    = "account_stats"
	streamGroups          = "category_groups"
	streamCategories      = "categories"
	streamPayees          = "payees"
	streamLocations       = "payee_locations"
	streamTransactions    = "transactions"
	streamScheduled       = "scheduled_transactions"
	streamMonths          = "months"
	streamMonthCategories = "month_categories"
)

var provider = api.Provider{
	Name: "YNAB", Origin: "https://api.ynab.com", Slot: "token", Below: "/v1/", Explain: explain, Check: api.Envelope, Header: map[string]string{"Accept": "application/json"},
}

// codeLapsed is the code of an ended subscription.
const codeLapsed = "ynab_subscription_lapsed"

// explain tells an ended subscription, with which no request of the run will fare better,
// from a refusal of one list.
func explain(resp *sdk.Response) *sdk.Failure {
	v, _ := resp.JSON()
	if name := v.Get("error").Get("name"); resp.Status != 403 || !name.TextIs("subscription_lapsed") && !name.TextIs("trial_expired") {
		return nil
	}
	return &sdk.Failure{
		Code: codeLapsed, Hint: "manual_action_required", Message: "the YNAB subscription has ended, and with it the access to its API (status 403)",
	}
}

// ends reports whether err ends the run. A list that YNAB refuses for now does not.
func ends(err error) bool {
	f, ok := sdk.AsFailure(err)
	return sdk.EndsRun(err) || ok && f.Code == codeLapsed
}

var unreadable = &problems.Kind{
	Reason: "ynab_shape_changed", Hint: "retry_on_connector_upgrade",
	Many: "rows of YNAB's answers did not have the documented form and could not be collected",
	One:  "row of YNAB's answers did not have the documented form and could not be collected",
}

// run is one run.
type run struct {
	*api.Client

	budgets []string                     // ids, as the provider lists them
	unsure  bool                         // a budget was listed in a form that hides which one it is
	types   map[string]map[string]string // of accounts, by budget and account
	listed  map[string]answer            // months that were listed, by question
}

func (r *run) table() api.Table {
	of := func(s source) func(*api.Client) error { return func(*api.Client) error { return r.collect(s) } }
	return api.Table{First: r.listBudgets, Ends: ends, Streams: []api.Stream{
		{Name: streamAccounts, Also: []string{streamAccountStats}, Collect: r.accounts},
		{Name: streamGroups, Also: []string{streamCategories}, Collect: of(categories)},
		{Name: streamPayees, Collect: of(payees)},
		{Name: streamLocations, Collect: of(locations)},
		{Name: streamTransactions, Collect: of(r.transactions())},
		{Name: streamScheduled, Collect: of(scheduled)},
		{Name: streamMonths, Collect: of(months)},
		{Name: streamMonthCategories, Lane: r.monthCategories},
	}}
}

// listBudgets asks for the budgets, which every run needs, and emits them. One answer lists
// them all.
func (r *run) listBudgets(*api.Client) error {
	if r.RecoveryOnly() {
		return nil
	}
	if err := r.Step("asking for the budgets", -1); err != nil {
		return err
	}
	got, err := r.rows("", "budgets", 0)
	if err != nil {
		return err
	}
	list, err := r.Enumerate(streamBudgets, "", "")
	if err != nil {
		return err
	}
	tally := problems.New(r.Host, streamBudgets, unreadable)
	for it := got.rows.Children(); it.Next(); {
		v := it.Value()
		id := byID(v, "")
		switch {
		case v.Get("deleted").Bool() || slices.Contains(r.budgets, id): // as good as not listed
		case id == "":
			tally.Note(unreadable, "")
			r.unsure = true
		default:
			r.budgets = append(r.budgets, id)
			rec := r.Record(streamBudgets)
			budgetRecord(rec, v)
			if err := rec.Emit(); err != nil {
				return err
			}
		}
	}
	if !r.unsure {
		if err := list.Whole(); err != nil {
			return err
		}
	}
	if err := tally.Report(); err != nil {
		return err
	}
	return r.save(streamBudgets, "budgets", &place{})
}

// nameBudgets finds out which budgets exist, for a run that only recovers gaps.
func (r *run) nameBudgets() error {
	got, err := r.rows("", "budgets", 0)
	for it := got.rows.Children(); it.Next(); {
		if id := byID(it.Value(), ""); id != "" && !it.Value().Get("deleted").Bool() {
			r.budgets = append(r.budgets, id)
		}
	}
	return err
}

// eachBudget handles one budget after the other. A failure of one does not stop the
// others, unless no request can be sent for now; the first error is returned.
func (r *run) eachBudget(do func(budget string) error) error {
	var first error
	for _, budget := range r.budgets {
		if r.Stopping() {
			return sdk.ErrStopped
		}
		err := do(budget)
		if err == nil {
			continue
		}
		if first == nil || ends(err) {
			first = err
		}
		if _, unsent := sdk.AsFetchError(err); unsent || ends(err) {
			break
		}
	}
	return first
}

// answer is an answer with a list.
type answer struct {
	rows  jsonvalue.Value
	after int64 // the knowledge that it reaches; -1: the list has none
}

// errBack is the error of changes that end before they begin: the provider's knowledge has gone
// back, as behind a restored backup, so that the answer says nothing of what changed. The list
// is read anew.
var errBack = errors.New("YNAB's server_knowledge went back")

// rows asks for a list: of the budgets, or of the one that path begins with. With a knowledge
// above 0 the answer has the changes since, deleted entities included; with 0 it has
// everything that exists.
func (r *run) rows(path, member string, knowledge int64) (answer, error) {
	if knowledge > 0 {
		path += "?last_knowledge_of_server=" + strconv.FormatInt(knowledge, 10)
	}
	v, err := r.Ask(r.Get("/v1/budgets" + path))
	if err != nil {
		return answer{}, err
	}
	data := v.Get("data")
	got := answer{data.Get(member), -1}
	if after, has := data.Get("server_knowledge").IntOK(); has {
		got.after = after
	}
	switch {
	case got.rows.Kind() != jsonvalue.Array:
		return answer{}, r.Malformed("YNAB gave an answer without " + member)
	case knowledge > 0 && got.after < 0:
		return answer{}, r.Malformed("YNAB gave the changes of " + member + " without server_knowledge")
	case knowledge > 0 && got.after < knowledge:
		return answer{}, errBack
	}
	return got, nil
}

// plainID accepts an id that becomes a part of an address or of a cursor. That of a
// transaction to come ends with its date.
func plainID(id string) bool { return api.Plain(id, 100) }

func byID(v jsonvalue.Value, _ string) string {
	if id := v.Get("id").Str(); plainID(id) {
		return id
	}
	return ""
}

func byMonth(v jsonvalue.Value, budget string) string {
	if month := v.Get("month").Str(); firstDay(month) {
		return budget + "|" + month
	}
	return ""
}

// firstDay accepts the first day of a month, which names it.
func firstDay(month string) bool {
	t, err := time.Parse(time.DateOnly, month)
	return err == nil && t.Day() == 1
}
