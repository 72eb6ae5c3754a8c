package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkHealth says of each connection what `status` says of it: its verdict, with the
// code of what keeps it from being collected, and what is to be done.
func (a *app) checkHealth(ctx context.Context, f *findings, c *config.Config, fed map[string][]storage.SourceInstance) error {
	return a.owner.EachBrief(ctx, func(e *storage.Evidence, b view.Brief) {
		said := healthFinding(c, &b, show.Subject{
			Connection: e.Name, Connector: e.Connector, Feeds: owner.FeedsOf(fed[e.ConnectionID]), Unaccepted: !e.Accepted(),
		})
		said.Message = a.Advice(said.Message)
		f.all = append(f.all, said)
	})
}

func healthFinding(c *config.Config, b *view.Brief, s show.Subject) finding {
	out := finding{Check: "health " + s.Connection, Outcome: healthy, Message: b.Pill.Label + ": " + b.ForwardStatement}
	if b.Pill.Tone == verdict.Amber || b.Pill.Tone == verdict.Red {
		out.Outcome = notice
	}
	if b.Cause != nil {
		out.Code = string(b.Cause.Code)
		out.Message += " Cause: " + show.Cause(c.DataDir(), b)
	}
	if todo, owners := b.Primary(); owners {
		out.Hint = todo
		if command := show.Step(b, s); command != "" {
			out.Hint += ": " + command
		}
	}
	return out
}
