package run

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func scopeOf(names ...string) abi.Scope {
	var s abi.Scope
	for _, n := range names {
		s.Streams = append(s.Streams, abi.StreamScope{Name: n})
	}
	return s
}

func manifestOf(streams ...abi.Stream) *abi.Manifest {
	return &abi.Manifest{ConnectorKey: "t", Streams: streams}
}

func report(stream, parent string, required, hydrated, gaps []string) coverageReport {
	return coverageReport{lane: lane{stream, parent}, required: required, hydrated: hydrated, gaps: gaps}
}

// The worked example of the contract: staged {orders, items, chats}, items
// rides orders, items failed: only chats commits.
func TestSettleStreamFailed(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "orders"}, abi.Stream{Name: "items", StateStream: "orders"}, abi.Stream{Name: "chats"})
	l := newLedger(m, scopeOf("orders", "items", "chats"), false)
	l.failed["items"] = true
	commit, held := l.settle(StatusFailed, true, []string{"orders", "items", "chats"})
	if len(commit) != 1 || commit[0] != "chats" {
		t.Fatalf("committed %v", commit)
	}
	if len(held) != 2 || held[0] != (Withheld{"items", withheldStreamFailed}) || held[1] != (Withheld{"orders", withheldStreamFailed}) {
		t.Fatalf("withheld %v", held)
	}
	// Without the certificate, a failed run commits nothing at its end.
	if commit, held = l.settle(StatusFailed, false, []string{"chats"}); len(commit) != 0 || held[0].Reason != withheldRunFailed {
		t.Fatalf("committed %v, withheld %v", commit, held)
	}
	if commit, held = l.settle(StatusCancelled, true, []string{"chats"}); len(commit) != 0 || held[0].Reason != withheldRunCancelled {
		t.Fatalf("committed %v, withheld %v", commit, held)
	}
}

// Coverage of messages over chats requires {1,2,3}, hydrated {1}, gap rows {2}:
// chats is withheld, with the third key accounted for it commits (PB-D8).
func TestSettleCoverage(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}})
	for _, tc := range []struct {
		name   string
		report *coverageReport
		gaps   [][3]string
		want   string
	}{
		{"no coverage at all", nil, nil, withheldCoverage},
		{"shortfall", &coverageReport{lane{"messages", "chats"}, []string{"1", "2", "3"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "chats", "2"}}, withheldCoverage},
		{"gap key without a stored gap", &coverageReport{lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, nil, withheldCoverage},
		{"gap of another parent", &coverageReport{lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "rooms", "2"}}, withheldCoverage},
		{"gap without parent, one parent stream", &coverageReport{lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "", "2"}}, ""},
		{"all accounted", &coverageReport{lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "chats", "2"}}, ""},
		{"skips are not credited without the opt-in", &coverageReport{lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, nil, []string{"2"}}, nil, withheldCoverage},
		{"empty lane", &coverageReport{lane: lane{"messages", "chats"}}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(m, scopeOf("chats", "messages"), false)
			for _, g := range tc.gaps {
				l.addGap(g[0], g[1], g[2])
			}
			if tc.report != nil {
				if err := l.addCoverage(*tc.report); err != nil {
					t.Fatal(err)
				}
			}
			if got := l.withhold("chats"); got != tc.want {
				t.Fatalf("withhold = %q, want %q", got, tc.want)
			}
			if got := l.withhold("messages"); got != "" {
				t.Fatalf("the lane's own cursor is withheld: %q", got)
			}
		})
	}
}

// A stream with several parents needs the gap of the exact parent.
func TestMultiParentGap(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "groups"}, abi.Stream{Name: "direct"}, abi.Stream{Name: "files", ParentStreams: []string{"groups", "direct"}})
	l := newLedger(m, scopeOf("groups", "direct", "files"), false)
	l.addGap("files", "", "1")
	if err := l.addCoverage(report("files", "groups", []string{"1"}, nil, []string{"1"})); err != nil {
		t.Fatal(err)
	}
	if l.withhold("groups") == "" {
		t.Fatal("a gap without a parent backed one of two parents")
	}
	if l.laneClosed("files") {
		t.Fatal("the lane closed before its second parent's coverage")
	}
	if err := l.addCoverage(report("files", "direct", nil, nil, nil)); err != nil {
		t.Fatal(err)
	}
	if !l.laneClosed("files") {
		t.Fatal("the lane is still open")
	}
}

// RT-12: exactly one DETAIL_COVERAGE for a lane, over declared parents only.
func TestCoverageViolations(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "other"}, abi.Stream{Name: "riding", StateStream: "chats"},
		abi.Stream{Name: "messages", ParentStreams: []string{"chats"}})
	for _, tc := range []struct {
		name    string
		reports []coverageReport
		code    abi.Code
	}{
		{"twice", []coverageReport{report("messages", "chats", nil, nil, nil), report("messages", "chats", nil, nil, nil)}, abi.CodeCoverageInvalid},
		{"undeclared parent", []coverageReport{report("messages", "other", nil, nil, nil)}, abi.CodeCoverageInvalid},
		{"a stream without a lane", []coverageReport{report("riding", "chats", nil, nil, nil)}, abi.CodeCoverageInvalid},
		{"stream out of scope", []coverageReport{report("ghost", "chats", nil, nil, nil)}, abi.CodeStreamOutOfScope},
		{"parent out of scope", []coverageReport{report("messages", "ghost", nil, nil, nil)}, abi.CodeStreamOutOfScope},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(m, scopeOf("chats", "other", "riding", "messages"), false)
			var err error
			for _, r := range tc.reports {
				err = l.addCoverage(r)
			}
			if abi.CodeOf(err) != tc.code {
				t.Fatalf("got %v, want %s", err, tc.code)
			}
		})
	}
}

// A lane whose parents are all out of scope is not closed by another's coverage.
func TestLaneWithoutParentInScopeStaysOpen(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}}, abi.Stream{Name: "flat"})
	l := newLedger(m, scopeOf("messages", "flat"), false)
	if err := l.addCoverage(report("flat", "flat", []string{"1"}, []string{"1"}, nil)); err != nil {
		t.Fatal(err)
	}
	if l.laneClosed("messages") {
		t.Fatal("closed by the coverage of another stream")
	}
}

// A stream that rides a rider has its records under the first one's cursor:
// what withholds it withholds that cursor.
func TestRiderOfARiderWithholds(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "sessions"}, abi.Stream{Name: "messages", StateStream: "sessions"},
		abi.Stream{Name: "attachments", StateStream: "messages"})
	l := newLedger(m, scopeOf("sessions", "messages", "attachments"), false)
	l.failed["attachments"] = true
	if got := l.withhold("sessions"); got != withheldStreamFailed {
		t.Fatalf("a failed rider's rider: %q", got)
	}
	if got := newLedger(m, scopeOf("sessions", "messages"), false).withhold("sessions"); got != withheldPartialScope {
		t.Fatalf("a rider's rider out of scope: %q", got)
	}
}

// A cursor never claims records that the run was told not to collect.
func TestNarrowedScopeWithholds(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "sessions"}, abi.Stream{Name: "messages", StateStream: "sessions"})
	if got := newLedger(m, scopeOf("sessions", "messages"), true).withhold("sessions"); got != withheldNarrowed {
		t.Fatalf("narrowed by resources or time: %q", got)
	}
	if got := newLedger(m, scopeOf("sessions"), false).withhold("sessions"); got != withheldPartialScope {
		t.Fatalf("a rider is out of scope: %q", got)
	}
	m.Streams[1].CoveragePolicy = abi.CoverageDeferred
	if got := newLedger(m, scopeOf("sessions"), false).withhold("sessions"); got != "" {
		t.Fatalf("a rider that nobody means to collect: %q", got)
	}
}

// What is committed at the end stays what it was when the result counts what
// was committed before: a cursor that is missing there would be lost, and one
// that is there too much is not staged.
func TestCommittedInAllLeavesTheEndAsItIs(t *testing.T) {
	t.Parallel()
	end := append(make([]string, 0, 4), "chats", "notes", "orders")
	all := committedInAll(end, map[string]bool{"accounts": true, "notes": true})
	if got := strings.Join(all, " "); got != "accounts chats notes orders" {
		t.Errorf("in all %s", got)
	}
	if got := strings.Join(end, " "); got != "chats notes orders" {
		t.Errorf("at the end %s", got)
	}
}
