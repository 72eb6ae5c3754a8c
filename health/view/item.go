package view

import (
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Item is one connection in a list.
type Item struct {
	Name      string `json:"name"`
	Connector string `json:"connector"`
	Verdict   Brief  `json:"verdict"`
}

// Brief is the attention layer of a verdict: the contents of a list, a header and a
// passport, equal in all of them (HL-21.1). The verdict itself, read one connection at
// a time, holds the rest: the conditions, the rows of streams, and an action's steps.
// A Brief is smaller than 2 KB whatever the verdict holds.
type Brief struct {
	Pill             verdict.Pill         `json:"pill"`
	Channel          verdict.Channel      `json:"channel"`
	Annotations      []verdict.Annotation `json:"annotations"`
	ForwardStatement string               `json:"forward_statement"`
	ForwardCode      verdict.Code         `json:"forward_code"`
	// RequiredActions holds only the primary action; MoreActions counts the others
	// ("+N more").
	RequiredActions []Action         `json:"required_actions"`
	MoreActions     int              `json:"more_actions"`
	Progress        verdict.Progress `json:"progress"`
	Cause           *verdict.Cause   `json:"cause,omitempty"`
}

// Action is a required action in the form of a list.
type Action struct {
	Kind          verdict.Kind          `json:"kind"`
	Audience      verdict.Audience      `json:"audience"`
	Urgency       verdict.Urgency       `json:"urgency"`
	Affects       []string              `json:"affects"` // the first of them
	MoreAffects   int                   `json:"more_affects"`
	CTA           string                `json:"cta"`
	CTACode       verdict.Code          `json:"cta_code"`
	Terminal      bool                  `json:"terminal"`
	SatisfiedWhen verdict.SatisfiedWhen `json:"satisfied_when"`
	// Recovery: the verdict itself holds the steps of a recovery.
	Recovery bool `json:"recovery,omitempty"`
}

// The maximum number of streams in a list's action, and the maximum length of a name.
const (
	mostAffects   = 3
	longestAffect = 64
)

// BriefOf returns a verdict's attention layer.
func BriefOf(v *verdict.RenderedVerdict) Brief {
	b := Brief{
		Pill: v.Pill, Channel: v.Channel, Annotations: v.Annotations, ForwardStatement: v.ForwardStatement, ForwardCode: v.ForwardCode,
		RequiredActions: []Action{}, Progress: v.Progress, Cause: v.Cause,
	}
	if len(v.RequiredActions) > 0 {
		b.RequiredActions = append(b.RequiredActions, actionOf(&v.RequiredActions[0]))
		b.MoreActions = len(v.RequiredActions) - 1
	}
	return b
}

func actionOf(a *verdict.RequiredAction) Action {
	out := Action{
		Kind: a.Kind, Audience: a.Audience, Urgency: a.Urgency, Affects: []string{}, CTA: a.CTA, CTACode: a.CTACode, Terminal: a.Terminal,
		SatisfiedWhen: a.SatisfiedWhen, Recovery: a.Remediation != nil,
	}
	for i, stream := range a.Affects {
		if i == mostAffects {
			out.MoreAffects = len(a.Affects) - mostAffects
			break
		}
		out.Affects = append(out.Affects, shorten(stream, longestAffect))
	}
	return out
}

// shorten shortens s to at most n bytes, at the end of a character.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// Notes returns the sentences beside the forward statement: the annotations, except
// one that equals it, and the work that happens automatically.
func (b *Brief) Notes() []string {
	var notes []string
	for _, a := range b.Annotations {
		if a.Code != "freshness_unknown" || b.ForwardCode != "complete_freshness_unknown" {
			notes = append(notes, a.Text)
		}
	}
	if len(b.RequiredActions) > 0 && b.RequiredActions[0].Audience == verdict.AudienceNone {
		notes = append(notes, b.RequiredActions[0].CTA+".")
	}
	return notes
}

// Primary returns the text of the first action, "" for none, and whether it is the
// owner's.
func (b *Brief) Primary() (text string, owners bool) {
	if len(b.RequiredActions) == 0 {
		return "", false
	}
	a := &b.RequiredActions[0]
	return a.CTA, a.Audience == verdict.AudienceOwner
}

// MoreUrgent compares what two verdicts ask for first: negative where that of a is more
// urgent. Nothing to do comes last.
func MoreUrgent(a, b *Brief) int { return a.urgency() - b.urgency() }

func (b *Brief) urgency() int {
	if len(b.RequiredActions) == 0 {
		return verdict.Urgency("").Rank()
	}
	return b.RequiredActions[0].Urgency.Rank()
}
