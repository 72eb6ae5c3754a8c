package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkHealth says of each connection what `status` says of it: its verdict, with the
// code of what keeps it from being collected, and what is to be done.
func (a *app) checkHealth(ctx context.Context, f *findings, c *config.Config, store *storage.Store, fed map[string][]feed) error {
	return a.eachBrief(ctx, store, func(e *storage.Evidence, b view.Brief) {
		said := healthFinding(c, &b, subjectOf(e, fed[e.ConnectionID]))
		said.Message = a.advice(said.Message)
		f.all = append(f.all, said)
	})
}

func healthFinding(c *config.Config, b *view.Brief, s subject) finding {
	out := finding{Check: "health " + s.connection, Outcome: healthy, Message: b.Pill.Label + ": " + b.ForwardStatement}
	if b.Pill.Tone == verdict.Amber || b.Pill.Tone == verdict.Red {
		out.Outcome = notice
	}
	if b.Cause != nil {
		out.Code = string(b.Cause.Code)
		out.Message += " Cause: " + causeLine(c, b)
	}
	if todo, owners := b.Primary(); owners {
		out.Hint = todo
		if command := step(b, s); command != "" {
			out.Hint += ": " + command
		}
	}
	return out
}
