package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var fuzzedPaths = []string{
	"", "/accounts", "/categories", "/payees", "/payee_locations", "/transactions", "/scheduled_transactions", "/months", "/months/",
}

// For any answer of a provider the run ends, sends a bounded number of requests, and
// emits only messages that the host accepts.
func FuzzAnswers(f *testing.F) {
	b := budgetID(1)
	f.Add(uint8(0), []byte(`{"data":{"budgets":[{"id":"`+b+`","name":"x"},{"id":"../x"},{"id":7},null,{"id":"`+b+`"}]}}`), 200)
	f.Add(uint8(1), []byte(`{"data":{"accounts":[{"id":"a","debt_interest_rates":{"2024-01-01":5000}},{"id":"a"},{"deleted":true}],"server_knowledge":-5}}`), 200)
	f.Add(uint8(2), []byte(`{"data":{"category_groups":[{"id":"g","categories":[{"id":"c"},7,{"id":"c","deleted":true}]},{"categories":{}}],"server_knowledge":1e30}}`), 200)
	f.Add(uint8(5), []byte(`{"data":{"transactions":[{"id":"t","subtransactions":[{"amount":1.5},8,{"deleted":true}]},{"id":"u","subtransactions":{}}],"server_knowledge":9}}`), 200)
	f.Add(uint8(7), []byte(`{"data":{"months":[{"month":"2024-01-01"},{"month":"2024-01-02"},{"month":"../x"},{"month":"2024-02-01","deleted":true}],"server_knowledge":9}}`), 200)
	f.Add(uint8(8), []byte(`{"data":{"month":{"month":"2025-01-01","categories":[{"id":"c"},{"id":null},{"id":"d","deleted":true}]}}}`), 200)
	f.Add(uint8(8), []byte(``), 304)
	f.Add(uint8(3), []byte(`{"error":{"id":"403.1","name":"subscription_lapsed"}}`), 403)
	f.Fuzz(func(t *testing.T, which uint8, body []byte, status int) {
		if status < 200 || status > 599 {
			status = 200
		}
		w := newWorld(t, budget(1, 2, 3))
		path := fuzzedPaths[int(which)%len(fuzzedPaths)]
		match := fault.Path("/v1/budgets/" + b + path)
		if path == "" {
			match = fault.Path("/v1/budgets")
		}
		w.p.Faults.Add(fault.Rule{Match: match, Times: -1, Fault: fault.Status(status, string(body))})
		if path == "" {
			w.p.Faults.Clear()
			w.p.Faults.Add(fault.Rule{Match: match, Fault: fault.Status(status, string(body))})
		}
		for range 2 {
			res := w.run()
			if res.Exit != 0 {
				t.Fatalf("exit %d, want 0", res.Exit)
			}
			for _, r := range res.Requests {
				if !strings.HasPrefix(r.URL, defaultBase+"/budgets") || strings.Contains(r.URL, "..") {
					t.Fatalf("asked %s, want %v at the start of URL and no .. in URL", r.URL, defaultBase+"/budgets")
				}
			}
			if most := 50 + len(body); len(res.Requests) > most {
				t.Fatalf("%d requests, want at most %d", len(res.Requests), most)
			}
			w.Pass(time.Hour)
		}
	})
}

// A cursor from elsewhere is read without harm.
func FuzzCursors(f *testing.F) {
	b := budgetID(1)
	f.Add([]byte(`{"` + b + `":{"server_knowledge":5,"format":1,"items":{"a":1},"todo":["2025-01-01","x"],"months":{"2025-01-01":3},"last_fetched_month":"2025-01-01"}}`))
	f.Add([]byte(`{"` + b + `":{"server_knowledge":-5,"last_fetched_month":"x","observed_on":7},"other":{"server_knowledge":1},"pacing_interval_ms":5}`))
	f.Add([]byte(`{"` + b + `":7}`))
	f.Add([]byte(`{"v":2,"due":true,"budgets":{"` + b + `":{"server_knowledge":7,"todo":["2025-02-01"],"first_month":"x"},"c":5}}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		v, err := jsonvalue.Parse(stored)
		if err != nil || v.Kind() != jsonvalue.Object {
			t.Skip()
		}
		w := newWorld(t, budget(1, 2, 3))
		for _, mode := range []func(*sdktest.Options){trial.Only(), trial.FullRefresh} {
			for _, stream := range []string{streamBudgets, streamAccounts, streamAccountStats, streamCategories, streamPayees, streamLocations, streamMonths, streamMonthCategories} {
				w.State[stream] = string(v.AppendJSON(nil))
			}
			if res := w.run(mode); res.Exit != 0 || len(res.Requests) > 60+len(stored) {
				t.Fatalf("%+v, %d requests, want Exit = 0 and len(res.Requests) at most %d", res.Done, len(res.Requests), 60+len(stored))
			}
		}
		text := cursor.Encode(version, sdk.Account{}, new(place).read(v))
		again, err := jsonvalue.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if twice := cursor.Encode(version, sdk.Account{}, new(place).read(again)); string(twice) != string(text) {
			t.Errorf("read and written again: %s, want %s", twice, text)
		}
	})
}
