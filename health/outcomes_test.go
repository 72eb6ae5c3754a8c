package health

import (
	"strings"
	"testing"
)

// Every row is complete, and every sentence occurs once (HL-02).
func TestOutcomes(t *testing.T) {
	t.Parallel()
	sentences := make(map[string]int)
	perType := make(map[Type]map[Status]bool)
	for i := range outcomes {
		o := &outcomes[i]
		switch {
		case o.typ == "" || o.status == "" || o.severity == "" || o.origin == "" || o.message == "":
			t.Errorf("row %d misses something: %+v", i, o)
		case o.reason == "" && o.typ != SourceCoverageComplete:
			t.Errorf("row %d has no reason", i)
		case o.status == False && o.typ != CollectionSucceeded && o.remedy == nil:
			t.Errorf("row %d is false, and nothing is said about mending it", i)
		case o.status == True && (o.severity != Info || o.remedy != nil):
			t.Errorf("row %d is true and weighs something", i)
		case o.typ == CredentialsValid && o.status == False && !o.redacted:
			t.Errorf("row %d shows a rejected credential's details", i)
		}
		if o.reason != "" && Normalise(o.reason) != o.reason {
			t.Errorf(`row %d: reason %q is no code, want o.reason == "" || normalise(o.reason) == o.reason`, i, o.reason)
		}
		if !strings.HasSuffix(o.message, ".") {
			t.Errorf(`row %d: %q is no sentence, want strings.HasSuffix(o.message, ".")`, i, o.message)
		}
		if before, ok := sentences[o.message]; ok {
			t.Errorf("rows %d and %d say the same, want !ok", before, i)
		}
		sentences[o.message] = i
		if perType[o.typ] == nil {
			perType[o.typ] = make(map[Status]bool)
		}
		perType[o.typ][o.status] = true
	}
	for _, typ := range Types {
		if len(perType[typ]) < 2 {
			t.Errorf("%s has one answer only, want len(perType[typ]) >= 2", typ)
		}
	}
}

// HL-16.1, HL-16.2, HL-16.3: each cause says what it is and what clears it, and
// no other cause's remedy.
func TestStalledSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows     []int
		says, no []string
	}{
		{[]int{exporterStateRead, backlogStateRead}, []string{"nothing to requeue", "re-running the collector on the host clears it"}, []string{"upload", "dead", "retried"}},
		{[]int{exporterDeadLetter, backlogDeadLetter}, []string{"ead-lettered records", "must be retried and then drained by re-running the collector on the host"}, []string{"nothing to requeue"}},
		{[]int{exporterStalePending, backlogStalePending}, []string{"ending work", "stopped draining", "e-running the collector on the host resumes it"}, []string{"upload", "dead", "retried"}},
		{[]int{exporterStalled, backlogStalled}, []string{"stalled"}, []string{"upload", "dead", "retried", "state", "pending"}},
	} {
		for _, row := range c.rows {
			text := outcomes[row].message + " " + outcomes[row].remedy.Label
			for _, s := range c.says {
				if !strings.Contains(text, s) {
					t.Errorf("%q does not say %q, want strings.Contains(text, s)", text, s)
				}
			}
			for _, s := range c.no {
				if strings.Contains(strings.ToLower(text), s) {
					t.Errorf("%q says %q, want !strings.Contains(strings.ToLower(text), s)", text, s)
				}
			}
		}
	}
	if !strings.Contains(outcomes[exporterStateRead].message, "blocked reading its earlier state") {
		t.Error("the exporter does not say that it is blocked reading its state")
	}
}

// A condition's remediation is its own: changing one changes no other.
func TestRemediationIsCopied(t *testing.T) {
	t.Parallel()
	e := Evidence{Projection: ProjectionEvidence{UnreliableSources: []Word{"runs"}}}
	first := Project(e)
	first.Conditions[atProjection].Remediation.Label = "changed"
	if second := Project(e); second.Conditions[atProjection].Remediation.Label == "changed" {
		t.Error("the table was changed through a condition")
	}
}
