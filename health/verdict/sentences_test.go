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
	deadWords = regexp.MustCompile(`(?i)dead.?letter`)
)

// Every sentence stands once, and claims what the gate takes it to claim.
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
			t.Errorf("%s: %q promises recovery: %v", s.code, s.text, got)
		}
		if got := current.MatchString(s.text); got != (s.claims&claimsCurrent != 0) {
			t.Errorf("%s: %q claims to be current: %v", s.code, s.text, got)
		}
		if got := strings.Contains(s.text, "Records kept: ") || strings.Contains(s.text, "last run: "); got != (s.claims&countsThings != 0) {
			t.Errorf("%s: %q counts: %v", s.code, s.text, got)
		}
		// HL-23.3: the instance speaks for itself, and reassures nobody falsely.
		if hosted.MatchString(s.text) {
			t.Errorf("%s: %q speaks for a hosted service", s.code, s.text)
		}
		// HL-23.7, HL-23.8: the term is no owner's.
		if deadWords.MatchString(s.text) {
			t.Errorf("%s: %q uses the collector's own term", s.code, s.text)
		}
	}
}

// HL-23.3: the sentence is factual, and the action says it.
func TestCodeFixSaysWhatIsNeeded(t *testing.T) {
	t.Parallel()
	for _, l := range []line{forwardCodeFix, rowTerminal, forwardTerminalAnswer} {
		if !l.claims(namesCodeFix) || !strings.Contains(l.text(), "code") {
			t.Errorf("%q", l.text())
		}
	}
	if !strings.Contains(forwardCodeFix.text(), "needs a fix before the source can collect again") || kinds[CodeFix].cta != forwardCodeFix {
		t.Errorf("%q", forwardCodeFix.text())
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
				t.Errorf("%s: %q", c.r.cause, l.text())
			}
		}
		all := c.r.cta.text() + c.r.summary.text() + c.r.label.text()
		for _, cmd := range c.r.commands {
			if cmd.Purpose == "" || cmd.Label == "" || strings.Count(cmd.CommandTemplate, SourceInstance) != 1 {
				t.Errorf("%s: %+v", c.r.cause, cmd)
			}
			if strings.ContainsAny(strings.ReplaceAll(cmd.CommandTemplate, SourceInstance, ""), "/:=@{}$") {
				t.Errorf("%s: %q holds more than a verb", c.r.cause, cmd.CommandTemplate)
			}
			all += cmd.CommandTemplate
		}
		for _, word := range c.no {
			if strings.Contains(strings.ToLower(all), word) {
				t.Errorf("%s says %q: %s", c.r.cause, word, all)
			}
		}
	}
}

// HL-24.2: what the owner may do is told by what it achieves.
func TestOwnerSentences(t *testing.T) {
	t.Parallel()
	for kind, shared := range kinds {
		l, ok := achieved[kind]
		if !ok {
			if kind != Wait {
				t.Errorf("nothing is said to be achieved by %s", kind)
			}
			continue
		}
		if owner := shared.audience == AudienceOwner; l.claims(namesOwnerStep) != owner || l.claims(claimsRecovery|claimsCurrent) {
			t.Errorf("%s: %q", kind, l.text())
		}
	}
}

func TestBlanks(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		staleSince.with("today"):          "Last refreshed today.",
		staleUnknownAge.with(""):          "The data is older than it should be.",
		progressManual.with("5", "today"): "Records kept: 5. Last refreshed today.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
