package ledger

import (
	"maps"
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

func report(stream, parent string, required, hydrated, gaps []string) Report {
	return Report{Lane: Lane{stream, parent}, Required: required, Hydrated: hydrated, Gaps: gaps}
}

// The example of the runtime contract, section 4.1: staged {orders, items, chats}, items
// rides orders, items failed: only chats commits.
func TestSettleStreamFailed(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "orders"}, abi.Stream{Name: "items", StateStream: "orders"}, abi.Stream{Name: "chats"})
	l := New(m, scopeOf("orders", "items", "chats"), false)
	l.FailStream("items")
	commit, held := l.DecideCheckpoints(abi.DoneFailed, true, []string{"orders", "items", "chats"})
	if len(commit) != 1 || commit[0] != "chats" {
		t.Fatalf("got %v committed, want chats", commit)
	}
	if len(held) != 2 || held[0] != (Withheld{"items", WithheldStreamFailed}) || held[1] != (Withheld{"orders", WithheldStreamFailed}) {
		t.Fatalf("got %v withheld, want items and orders for a failed stream", held)
	}
	// Without the certificate, a failed run commits nothing at its end.
	if commit, held = l.DecideCheckpoints(abi.DoneFailed, false, []string{"chats"}); len(commit) != 0 || held[0].Reason != WithheldRunFailed {
		t.Fatalf("got %v committed and %v withheld, want none and run_failed", commit, held)
	}
	if commit, held = l.DecideCheckpoints(abi.DoneCancelled, true, []string{"chats"}); len(commit) != 0 || held[0].Reason != WithheldRunCancelled {
		t.Fatalf("got %v committed and %v withheld, want none and run_cancelled", commit, held)
	}
}

// Coverage of messages over chats requires {1,2,3}, hydrated {1}, gap rows {2}:
// chats is withheld, with the third key accounted for it commits (PB-D8).
func TestSettleCoverage(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}})
	for _, tc := range []struct {
		name   string
		report *Report
		gaps   [][3]string
		want   string
	}{
		{"no coverage at all", nil, nil, WithheldCoverage},
		{"shortfall", &Report{Lane{"messages", "chats"}, []string{"1", "2", "3"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "chats", "2"}}, WithheldCoverage},
		{"gap key without a stored gap", &Report{Lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, nil, WithheldCoverage},
		{"gap of another parent", &Report{Lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "rooms", "2"}}, WithheldCoverage},
		{"gap without parent, one parent stream", &Report{Lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "", "2"}}, ""},
		{"all accounted", &Report{Lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, []string{"2"}, nil}, [][3]string{{"messages", "chats", "2"}}, ""},
		{"skips are not credited without the opt-in", &Report{Lane{"messages", "chats"}, []string{"1", "2"}, []string{"1"}, nil, []string{"2"}}, nil, WithheldCoverage},
		{"empty lane", &Report{Lane: Lane{"messages", "chats"}}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := New(m, scopeOf("chats", "messages"), false)
			for _, g := range tc.gaps {
				l.AddGap(Gap{g[0], g[1], g[2]})
			}
			if tc.report != nil {
				if err := l.AddCoverage(*tc.report); err != nil {
					t.Fatal(err)
				}
			}
			if got := l.Withhold("chats"); got != tc.want {
				t.Fatalf("withhold = %q, want %q", got, tc.want)
			}
			if got := l.Withhold("messages"); got != "" {
				t.Fatalf("got the lane's own cursor withheld as %q, want it to commit", got)
			}
		})
	}
}

// A stream with several parents needs the gap of the exact parent.
func TestMultiParentGap(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "groups"}, abi.Stream{Name: "direct"}, abi.Stream{Name: "files", ParentStreams: []string{"groups", "direct"}})
	l := New(m, scopeOf("groups", "direct", "files"), false)
	l.AddGap(Gap{"files", "", "1"})
	if err := l.AddCoverage(report("files", "groups", []string{"1"}, nil, []string{"1"})); err != nil {
		t.Fatal(err)
	}
	if l.Withhold("groups") == "" {
		t.Fatal("got a gap without a parent that backs one of two parents, want it to back none")
	}
	if l.LaneClosed("files") {
		t.Fatal("got the lane closed before its second parent's coverage, want it open")
	}
	if err := l.AddCoverage(report("files", "direct", nil, nil, nil)); err != nil {
		t.Fatal(err)
	}
	if !l.LaneClosed("files") {
		t.Fatal("got the lane open after both coverages, want it closed")
	}
}

// RT-12: exactly one DETAIL_COVERAGE for a lane, over declared parents only.
func TestCoverageViolations(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "other"}, abi.Stream{Name: "riding", StateStream: "chats"},
		abi.Stream{Name: "messages", ParentStreams: []string{"chats"}})
	for _, tc := range []struct {
		name    string
		reports []Report
		code    abi.Code
	}{
		{"twice", []Report{report("messages", "chats", nil, nil, nil), report("messages", "chats", nil, nil, nil)}, abi.CodeCoverageInvalid},
		{"undeclared parent", []Report{report("messages", "other", nil, nil, nil)}, abi.CodeCoverageInvalid},
		{"a stream without a lane", []Report{report("riding", "chats", nil, nil, nil)}, abi.CodeCoverageInvalid},
		{"stream out of scope", []Report{report("ghost", "chats", nil, nil, nil)}, abi.CodeStreamOutOfScope},
		{"parent out of scope", []Report{report("messages", "ghost", nil, nil, nil)}, abi.CodeStreamOutOfScope},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := New(m, scopeOf("chats", "other", "riding", "messages"), false)
			var err error
			for _, r := range tc.reports {
				err = l.AddCoverage(r)
			}
			if abi.CodeOf(err) != tc.code {
				t.Fatalf("got %v, want %s", err, tc.code)
			}
		})
	}
}

// The coverage of another stream does not close a lane whose parents are all out of
// scope.
func TestLaneWithoutParentInScopeStaysOpen(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}}, abi.Stream{Name: "flat"})
	l := New(m, scopeOf("messages", "flat"), false)
	if err := l.AddCoverage(report("flat", "flat", []string{"1"}, []string{"1"}, nil)); err != nil {
		t.Fatal(err)
	}
	if l.LaneClosed("messages") {
		t.Fatal("got the lane closed by the coverage of another stream, want it open")
	}
}

// The cursor of a stream covers the riders of its riders: their failure withholds it.
func TestRiderOfARiderWithholds(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "sessions"}, abi.Stream{Name: "messages", StateStream: "sessions"},
		abi.Stream{Name: "attachments", StateStream: "messages"})
	l := New(m, scopeOf("sessions", "messages", "attachments"), false)
	l.FailStream("attachments")
	if got := l.Withhold("sessions"); got != WithheldStreamFailed {
		t.Fatalf("got %q for a failed rider's rider, want %q", got, WithheldStreamFailed)
	}
	if got := New(m, scopeOf("sessions", "messages"), false).Withhold("sessions"); got != WithheldPartialScope {
		t.Fatalf("got %q for a rider's rider out of scope, want %q", got, WithheldPartialScope)
	}
}

// A cursor never claims records that the run was told not to collect.
func TestNarrowedScopeWithholds(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "sessions"}, abi.Stream{Name: "messages", StateStream: "sessions"})
	if got := New(m, scopeOf("sessions", "messages"), true).Withhold("sessions"); got != WithheldNarrowed {
		t.Fatalf("got %q for a narrowed run, want %q", got, WithheldNarrowed)
	}
	if got := New(m, scopeOf("sessions"), false).Withhold("sessions"); got != WithheldPartialScope {
		t.Fatalf("got %q for a rider out of scope, want %q", got, WithheldPartialScope)
	}
	m.Streams[1].CoveragePolicy = abi.CoverageDeferred
	if got := New(m, scopeOf("sessions"), false).Withhold("sessions"); got != "" {
		t.Fatalf("got %q for a rider that is not collected by default, want none", got)
	}
}

// RT-12: a detail that was rejected is not hydrated, whatever the guest says.
func TestRejectedDetailIsNotHydrated(t *testing.T) {
	t.Parallel()
	l := New(manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}}),
		scopeOf("chats", "messages"), false)
	l.Arrived("messages", []byte("1"), false)
	l.Arrived("messages", []byte("2"), true)
	if err := l.AddCoverage(report("messages", "chats", []string{"1", "2"}, []string{"1", "2"}, nil)); err != nil {
		t.Fatal(err)
	}
	if got := l.Withhold("chats"); got != WithheldCoverage {
		t.Fatalf("got %q, want %q", got, WithheldCoverage)
	}
}

// A failed run that says that a stream failed, and names none of this run, commits nothing at
// its end, and neither does one that names only a stream that it was not to collect.
func TestACertificateNeedsAFailedStream(t *testing.T) {
	t.Parallel()
	l := New(manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "other"}), scopeOf("chats"), false)
	for _, outOfScope := range []string{"", "other"} {
		l.FailStream(outOfScope)
		commit, held := l.DecideCheckpoints(abi.DoneFailed, true, []string{"chats"})
		if len(commit) != 0 || len(held) != 1 || held[0].Reason != WithheldRunFailed {
			t.Errorf("%q failed: got %v committed and %v withheld, want none and run_failed", outOfScope, commit, held)
		}
	}
}

// Where only this run's records prove a detail, the last record of a key counts: one that was
// accepted and then rejected proves nothing, in a stream with a lane or without.
func TestFreshDetailsFollowTheLastRecord(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}})
	for _, stream := range []string{"chats", "messages"} {
		l := New(m, scopeOf("chats", "messages"), false)
		l.RequireFresh(stream)
		for _, key := range []string{"accepted", "mended", "spoiled", "part:1"} {
			l.Arrived(stream, []byte(key), key == "mended")
		}
		l.Arrived(stream, []byte("mended"), false)
		l.Arrived(stream, []byte("spoiled"), true)
		got := l.FreshDetails(stream, []string{"accepted", "mended", "spoiled", "part", "never"})
		want := map[string]bool{"accepted": true, "mended": true, "spoiled": false, "part": true, "never": false}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", stream, got, want)
		}
	}
}

// A gap that is claimed without a record holds back the cursors of its stream, of its list and of
// the streams that either rides, and no other.
func TestAClaimWithholdsWhatCoversIt(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "rooms"}, abi.Stream{Name: "chats", StateStream: "rooms"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}},
		abi.Stream{Name: "flat"}, abi.Stream{Name: "other"})
	for gap, want := range map[Gap]string{
		{"messages", "chats", "a"}: "chats messages", {"messages", "", "a"}: "chats messages", {"flat", "", "a"}: "flat", {"flat", "other", "a"}: "flat other",
		{"chats", "", "a"}: "rooms chats", {"ghost", "", "a"}: "",
	} {
		l := New(m, scopeOf("rooms", "chats", "messages", "flat", "other"), false)
		if err := l.AddCoverage(report("messages", "chats", nil, nil, nil)); err != nil {
			t.Fatal(err)
		}
		l.Claim(gap)
		var got []string
		for _, s := range m.Streams {
			if l.Withhold(s.Name) == WithheldCoverage {
				got = append(got, s.Name)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%v: got %q withheld, want %q", gap, text, want)
		}
	}
}
