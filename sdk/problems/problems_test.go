package problems_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connector is one whose Collect is a function.
type connector func(h *sdk.Host) error

func (connector) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (c connector) Collect(h *sdk.Host) error { return c(h) }

var (
	unreadable = &problems.Kind{Reason: "notes_unreadable", Many: "notes have no id", One: "note has no id", Hint: "retry_on_connector_upgrade"}
	strange    = &problems.Kind{Reason: "notes_strange", Many: "values have an unknown type", Hint: "not_retriable", Examples: "types"}
	cutOff     = &problems.Kind{Reason: "notes_cut_off", Plain: "the list is cut off", Hint: "retry_by_runtime"}
)

// said lists the reports of what note does.
func said(t *testing.T, note func(tally *problems.Tally)) []string {
	t.Helper()
	res := sdktest.Collect(t, connector(func(h *sdk.Host) error {
		tally := problems.New(h, "notes", unreadable, strange)
		note(tally)
		if err := tally.Report(); err != nil {
			return err
		}
		return tally.Report() // the second has nothing to say
	}), sdktest.Options{})
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Stream+" "+s.Reason+": "+s.Message+" "+string(s.RecoveryHint)+" "+string(s.Diagnostics))
	}
	return list
}

func TestReport(t *testing.T) {
	t.Parallel()
	got := said(t, func(tally *problems.Tally) {
		tally.Note(cutOff, "") // not declared: it comes last
		tally.Note(strange, "hologram")
		tally.Note(strange, "")
		tally.Note(strange, "aura")
		tally.Note(strange, "hologram")
		tally.Note(unreadable, "an example that this kind does not list")
		if n := tally.Count(strange); n != 4 {
			t.Errorf("counted %d, want 4", n)
		}
	})
	want := []string{
		`notes notes_unreadable: 1 note has no id "retry_on_connector_upgrade" {"count":1}`,
		`notes notes_strange: 4 values have an unknown type "not_retriable" {"count":4,"types":["aura","hologram"]}`,
		`notes notes_cut_off: the list is cut off "retry_by_runtime" `,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("reported\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := said(t, func(*problems.Tally) {}); len(got) != 0 {
		t.Errorf("reported %v, want nothing", got)
	}
}

// A flood of problems is one short report.
func TestExamplesAreBounded(t *testing.T) {
	t.Parallel()
	got := said(t, func(tally *problems.Tally) {
		for i := range 5000 {
			tally.Note(strange, fmt.Sprintf("%04d%sé", i, strings.Repeat("x", 35)))
		}
	})
	if len(got) != 1 || len(got[0]) > 1200 || strings.Count(got[0], "x\"") != 20 || !strings.Contains(got[0], `{"count":5000,"types":["0000xxx`) {
		t.Errorf("reported %v, want one report of 5000 with the first 20 types, cut before the last letter", got)
	}
}

// A kind of problem has its words in one place. The tally counts and says it once.
func Example() {
	unreadable := &problems.Kind{
		Reason: "notes_unreadable", Many: "notes have no id", One: "note has no id", Hint: "retry_on_connector_upgrade",
	}
	collect := func(h *sdk.Host) error { // the connector's Collect
		tally := problems.New(h, "notes", unreadable)
		for _, id := range []string{"1", "", "2", ""} {
			if id == "" {
				tally.Note(unreadable, "")
			}
		}
		return tally.Report()
	}
	res := sdktest.Collect(&testing.T{}, connector(collect), sdktest.Options{})
	fmt.Println(res.Skips[0].Message)
	// Output: 2 notes have no id
}
