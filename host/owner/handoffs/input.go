package handoffs

import (
	"context"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// MostInput is the size of the largest batch, in bytes.
const MostInput = handoff.MostBytes

// Input does on a page what a batch of events says (host/browser/handoff has their form), for the
// browser whose view lives by that token.
func Input(ctx context.Context, o *owner.Owner, id, token string, batch []byte) error {
	if err := seated(o); err != nil {
		return err
	}
	events, err := handoff.Decode(batch)
	if err != nil {
		return err
	}
	h, err := Show(ctx, o, id)
	if err != nil {
		return err
	}
	act := func(ctx context.Context) error { return o.Handoffs.Input(ctx, id, o.Actor.ID, token, events) }
	hosts := allowed(h, events)
	if len(hosts) == 0 {
		return act(ctx)
	}
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	return o.Audited(ctx, store, "handoffs.allow", h.Connection+" "+strings.Join(hosts, " "), act)
}

// allowed are the hosts that a batch lets be reached, of those that were refused: any other name
// is something that somebody typed.
func allowed(h *Handoff, events []handoff.Event) (hosts []string) {
	for _, e := range events {
		if e.Do == handoff.Allow && slices.Contains(h.Refused, e.Host) {
			hosts = append(hosts, e.Host)
		}
	}
	return hosts
}
