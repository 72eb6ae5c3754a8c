package abi_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func disjoint(t *testing.T, a, b []abi.Reason) {
	t.Helper()
	if len(a) == 0 || len(b) == 0 {
		t.Fatal("an empty set proves nothing")
	}
	for _, r := range a {
		if r.Has(b) {
			t.Errorf("%s is in both, want !r.Has(b)", r)
		}
	}
}

// RT-24.1: no reason with which the provider budget defers a run is one that
// arms the source-pressure cooldown. It is also the vocabulary's half of PB-D9;
// the deferral itself is host/send's.
func TestBudgetExhaustionIsNotSourcePressure(t *testing.T) {
	t.Parallel()
	disjoint(t, abi.BudgetExhaustion, abi.SourcePressure)
	for _, r := range abi.BudgetExhaustion {
		if r.IsSourcePressure() {
			t.Errorf("%s arms the cooldown, want !r.IsSourcePressure()", r)
		}
	}
	// The axes are four: request cap, wall clock, retry budget, circuit.
	if len(abi.BudgetExhaustion) != 4 {
		t.Errorf("%d budget axes, want 4", len(abi.BudgetExhaustion))
	}
}

// RT-17.1: what a run that reached its owner's cap says is no source pressure:
// neither its class nor the resumable wire reason that it travels under.
func TestRunCapIsNotSourcePressure(t *testing.T) {
	t.Parallel()
	disjoint(t, abi.RunCap, abi.SourcePressure)
	resumable := slices.DeleteFunc(slices.Clone(abi.GapReasons), abi.Reason.IsSourcePressure)
	if len(resumable) == 0 {
		t.Error("no wire reason is left for a deferral that is no source pressure")
	}
	if !abi.ReasonRetryExhausted.Has(resumable) {
		t.Errorf("%s, the wire reason of a run cap, arms the cooldown, want abi.ReasonRetryExhausted.Has(resumable)", abi.ReasonRetryExhausted)
	}
}

// RT-17.2: a run cap's class differs from every class and reason of a source-pressure
// or budget deferral, and from every wire reason.
func TestRunCapIsDistinguishable(t *testing.T) {
	t.Parallel()
	disjoint(t, abi.RunCap, abi.BudgetExhaustion)
	disjoint(t, abi.RunCap, abi.GapReasons)
}

// RT-17.1: the cooldown is armed by these two and nothing else.
func TestSourcePressure(t *testing.T) {
	t.Parallel()
	if want := []abi.Reason{"upstream_pressure", "rate_limited"}; !slices.Equal(abi.SourcePressure, want) {
		t.Errorf("source pressure = %v, want %v", abi.SourcePressure, want)
	}
	for _, r := range abi.SourcePressure {
		if !r.Has(abi.GapReasons) {
			t.Errorf("no DETAIL_GAP can carry %s, want r.Has(abi.GapReasons)", r)
		}
	}
	for _, r := range abi.GenericReasons {
		if want := r == "upstream_pressure" || r == "rate_limited"; r.IsSourcePressure() != want {
			t.Errorf("IsSourcePressure(%s) = %v, want %v", r, !want, want)
		}
	}
}

func TestGenericReasonsIsWhole(t *testing.T) {
	t.Parallel()
	declared := sortedValues(constants(t, "Reason"))
	var listed []string
	for _, r := range abi.GenericReasons {
		listed = append(listed, string(r))
	}
	slices.Sort(listed)
	if !slices.Equal(declared, listed) {
		t.Errorf("declared %q\nlisted   %q, want slices.Equal(declared, listed)", declared, listed)
	}
	if len(slices.Compact(declared)) != len(listed) {
		t.Error("two reasons are one word")
	}
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for _, r := range declared {
		if !word.MatchString(r) {
			t.Errorf("%q is not snake case, want word.MatchString(r)", r)
		}
	}
}

func TestRecoveryActionsAreDistinct(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, a := range abi.RecoveryActions {
		if seen[a] {
			t.Errorf("%s twice, want !seen[a]", a)
		}
		seen[a] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d actions, want 8", len(seen))
	}
}
