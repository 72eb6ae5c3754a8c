package chain

import (
	"encoding/json"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// rates are the collection_rate reports of a run, in order.
func (o *owner) rates(run string) []map[string]any {
	o.t.Helper()
	var out []map[string]any
	for _, e := range o.shows(run).Events {
		var data struct {
			Rate map[string]any `json:"collection_rate"`
		}
		if json.Unmarshal(e.Data, &data) == nil && data.Rate != nil {
			out = append(out, data.Rate)
		}
	}
	return out
}

// RT-26.1, RT-26.2, RT-26.3, RT-27.1: the cursor of a separate stream carries the pace
// that a run learned, and the next process begins with it; a stored pace that is too
// old does not count. The events of a run contain the pace, and nothing else.
func TestLearnedRate(t *testing.T) {
	t.Parallel()
	o := newOwner(t, unspread(sample.Github(options(20))), map[string]string{"GITHUB_TOKEN": token})
	learned := func() (interval, recorded float64) {
		t.Helper()
		var c struct {
			Interval float64 `json:"pacing_interval_ms"`
			Recorded float64 `json:"pacing_recorded_at_ms"`
		}
		if err := json.Unmarshal([]byte(o.cursor("user")), &c); err != nil {
			t.Fatal(err)
		}
		return c.Interval, c.Recorded
	}
	first := o.runs(0, "github", "--full-refresh")
	interval, recorded := learned()
	if interval >= tree.QuickStart || interval < tree.QuickFloor || recorded == 0 {
		t.Fatalf("learned %v at %v, want interval less than %v, interval at least %v and recorded not 0", interval, recorded, tree.QuickStart, tree.QuickFloor)
	}
	begin := func(run ran) float64 {
		t.Helper()
		rates := o.rates(run.RunID)
		if len(rates) == 0 {
			t.Fatal("no event contains a rate")
		}
		for _, r := range rates {
			if len(r) != 6 || r["object"] != "collection_rate" || r["ceiling_interval_ms"] != float64(tree.QuickFloor) || r["ceiling_rate_per_min"] != 60_000.0/tree.QuickFloor {
				t.Errorf("%v, want len(r) = 6, r[\"object\"] = collection_rate, r[\"ceiling_interval_ms\"] = %v and r[\"ceiling_rate_per_min\"] = %v", r, float64(tree.QuickFloor), 60_000.0/tree.QuickFloor)
			}
			if _, told := r["last_backoff"]; !told || r["effective_rate_per_min"].(float64) <= 0 {
				t.Errorf("%v, want last_backoff and r[\"effective_rate_per_min\"].(float64) more than 0", r)
			}
		}
		return rates[0]["current_interval_ms"].(float64)
	}
	cold := begin(first)
	if cold <= interval || cold > tree.QuickStart {
		t.Errorf("a cold start at %v, learned %v, want cold more than %v and cold at most %v", cold, interval, interval, tree.QuickStart)
	}
	warm := begin(o.runs(0, "github"))
	if warm > interval {
		t.Errorf("a start at %v, want at most the learned %v", warm, interval)
	}
	o.sql(`UPDATE states SET cursor = json_replace(cursor, '$.pacing_recorded_at_ms', json_extract(cursor, '$.pacing_recorded_at_ms') - 22000000)
		WHERE stream = 'user'`)
	if stale := begin(o.runs(0, "github")); stale != cold {
		t.Errorf("a start at %v after six hours, want the cold start's %v", stale, cold)
	}
	for _, stream := range o.sql("SELECT stream FROM states WHERE cursor LIKE '%pacing_%'") {
		if stream != "user" {
			t.Errorf("a rate is on the cursor of %s, want user", stream)
		}
	}
}

// RT-27.2: where pacing is off there is no rate, and no zero rate is reported.
func TestNoPaceNoRate(t *testing.T) {
	t.Parallel()
	o := newOwner(t, unspread(sample.Github(options(2))), map[string]string{"ECHO_TOKEN": "x-x-x-x-x"})
	r := o.runs(0, "echo", "--set", "paths=/user")
	if rates := o.rates(r.RunID); len(rates) > 0 || r.Records["answers"].New != 2 {
		t.Errorf("%v, want len(rates) = 0 and Records[\"answers\"].New = 2", rates)
	}
}
