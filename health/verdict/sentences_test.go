package verdict

import (
	"regexp"
	"strings"
	"testing"
)

// promises finds the words by which a sentence could claim that the system
// recovers by itself, current those by which it could claim that all is well.
var (
	promises  = regexp.MustCompile(`(?i)\b(later run|next run|retr(y|ies|ied)|resum\w+|refreshes on|once the connector has been run|comes without)\b`)
	current   = regexp.MustCompile(`(?i)\bis current\b|collection works|collecting normally`)
	hosted    = regexp.MustCompile(`(?i)\bwe('re)?\b|\bour\b|nothing for you`)
	underWay  = regexp.MustCompile(`(?i)\bis being\b`)
	deadWords = regexp.MustCompile(`(?i)dead.?letter`)
)

// Every sentence occurs once, and has the claims on which the gate relies.
func TestSentences(t *testing.T) {
	t.Parallel()
	codes, texts := make(map[Code]bool), make(map[string]bool)
	for i := range sentences {
		s := &sentences[i]
		switch {
		case s.code == "" || s.text == "":
			t.Errorf("line %d is empty", i)
		case codes[s.code]:
			t.Errorf("two lines have the code %s", s.code)
		case texts[s.text]:
			t.Errorf("two lines say %q", s.text)
		}
		codes[s.code], texts[s.text] = true, true
		if got := promises.MatchString(s.text); got != (s.claims&claimsRecovery != 0) {
			t.Errorf("%s: %q promises recovery: %v, want %v", s.code, s.text, got, (s.claims&claimsRecovery != 0))
		}
		if got := current.MatchString(s.text); got != (s.claims&claimsCurrent != 0) {
			t.Errorf("%s: %q claims to be current: %v, want %v", s.code, s.text, got, (s.claims&claimsCurrent != 0))
		}
		if got := strings.Contains(s.text, "Records kept: ") || strings.Contains(s.text, "last run: "); got != (s.claims&countsThings != 0) {
			t.Errorf("%s: %q counts: %v, want %v", s.code, s.text, got, (s.claims&countsThings != 0))
		}
		// HL-23.3: the instance speaks for itself, and reassures nobody falsely.
		if hosted.MatchString(s.text) {
			t.Errorf("%s: %q speaks for a hosted service, want !hosted.MatchString(s.text)", s.code, s.text)
		}
		// AC-10: nothing is said to go on, since a sentence stands between two runs as well.
		if underWay.MatchString(s.text) {
			t.Errorf("%s: %q says that something goes on, want !underWay.MatchString(s.text)", s.code, s.text)
		}
		// HL-23.7, HL-23.8: the term is no owner's.
		if deadWords.MatchString(s.text) {
			t.Errorf("%s: %q uses the collector's own term, want !deadWords.MatchString(s.text)", s.code, s.text)
		}
	}
}

// HL-23.3: the sentence is factual, and the action says it.
func TestCodeFixSaysWhatIsNeeded(t *testing.T) {
	t.Parallel()
	for _, l := range []line{forwardCodeFix, rowTerminal, forwardTerminalAnswer, forwardFlawed, rowFlawed} {
		if !l.claims(namesCodeFix) || !strings.Contains(l.text(), "code") {
			t.Errorf(`got %q, want l.claims(namesCodeFix) && strings.Contains(l.text(), "code")`, l.text())
		}
	}
	if !strings.Contains(forwardCodeFix.text(), "needs a fix before the source can collect again") || kinds[CodeFix].cta != forwardCodeFix {
		t.Errorf(`got %q, want strings.Contains(forwardCodeFix.text(), "needs a fix before the source can collect again") && kinds[CodeFix].cta == forwardCodeFix`, forwardCodeFix.text())
	}
}

// HL-23.7, HL-23.8, HL-23.12: each recovery says its own cause and no other's.
func TestRecoverySentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    *recovery
		says string
		no   []string
	}{
		{&recoverStateRead, "re-run", []string{"upload", "queue", "recover "}},
		{&recoverDeadLetter, "did not upload to the server", []string{"dead"}},
		{&recoverStalePending, "re-run", []string{"upload", "recover "}},
		{&recoverUnknown, "check", []string{"upload", "queue", "state of what", "recover "}},
	} {
		for _, l := range []line{c.r.cta, c.r.summary} {
			if !strings.Contains(strings.ToLower(l.text()), c.says) || !strings.Contains(l.text(), "host") || !l.claims(namesOwnerStep) {
				t.Errorf(`%s: got %q, want strings.Contains(strings.ToLower(l.text()), c.says) && strings.Contains(l.text(), "host") && l.claims(namesOwnerStep)`, c.r.cause, l.text())
			}
		}
		all := c.r.cta.text() + c.r.summary.text() + c.r.label.text()
		for _, cmd := range c.r.commands {
			if cmd.Purpose == "" || cmd.Label == "" || strings.Count(cmd.CommandTemplate, SourceInstance) != 1 {
				t.Errorf(`%s: got %+v, want cmd.Purpose != "" && cmd.Label != "" && strings.Count(cmd.CommandTemplate, SourceInstance) == 1`, c.r.cause, cmd)
			}
			if strings.ContainsAny(strings.ReplaceAll(cmd.CommandTemplate, SourceInstance, ""), "/:=@{}$") {
				t.Errorf(`%s: %q holds more than a verb, want !strings.ContainsAny(strings.ReplaceAll(cmd.CommandTemplate, SourceInstance, ""), "/:=@{}$")`, c.r.cause, cmd.CommandTemplate)
			}
			all += cmd.CommandTemplate
		}
		for _, word := range c.no {
			if strings.Contains(strings.ToLower(all), word) {
				t.Errorf("%s says %q: %s, want !strings.Contains(strings.ToLower(all), word)", c.r.cause, word, all)
			}
		}
	}
}

// HL-24.2: a sentence describes the owner's action by its effect.
func TestOwnerSentences(t *testing.T) {
	t.Parallel()
	for kind, shared := range kinds {
		l, ok := outcomeOfAction[kind]
		if !ok {
			if kind != Wait {
				t.Errorf("nothing is said to be achieved by %s, want %v", kind, Wait)
			}
			continue
		}
		if owner := shared.audience == AudienceOwner; l.claims(namesOwnerStep) != owner || l.claims(claimsRecovery|claimsCurrent) {
			t.Errorf("%s: shared.audience == AudienceOwner: got %q, want l.claims(namesOwnerStep) == owner && !l.claims(claimsRecovery | claimsCurrent)", kind, l.text())
		}
	}
}

func TestBlanks(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		staleSince.fill("today"):          "Last refreshed today.",
		staleUnknownAge.fill(""):          "The data is older than it should be.",
		progressManual.fill("5", "today"): "Records kept: 5. Last refreshed today.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
