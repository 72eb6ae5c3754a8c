package op

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// BR-13.5: a secret counts as sent from its first letter on, since pages send by themselves what is
// typed; what may be seen does so once something is pressed. The connector's word that it was let
// in ends the hold, and not what is known of what was sent. Both are kept before they hold: what
// cannot be kept is not sent.
func TestWhatCountsAsSent(t *testing.T) {
	t.Parallel()
	var secret, public, lost codes
	var kept []bool
	keep := func(_ context.Context, submitted bool) error { kept = append(kept, submitted); return nil }
	check := func(what string, c *codes, err error, handed, sent bool, words ...bool) {
		t.Helper()
		if err != nil || c.handed != handed || c.sent != sent || !slices.Equal(kept, words) {
			t.Errorf("%s: got handed %v, sent %v, kept %v, %v, want %v, %v, %v", what, c.handed, c.sent, kept, err, handed, sent, words)
		}
		kept = nil
	}
	ctx := t.Context()
	check("a secret is typed", &secret, secret.note(ctx, true, keep), true, true, true)
	check("and submitted", &secret, secret.submit(ctx, keep), true, true)
	check("a name is typed", &public, public.note(ctx, false, keep), false, false)
	check("and submitted", &public, public.submit(ctx, keep), true, true, true)
	check("let in", &secret, secret.enter(ctx, keep), false, true, false)
	check("let in again", &secret, secret.enter(ctx, keep), false, true)
	full := errors.New("the disk is full")
	if err := lost.note(ctx, true, func(context.Context, bool) error { return full }); !errors.Is(err, full) || lost.handed || lost.sent {
		t.Errorf("not kept: got %v, handed %v, sent %v, want it refused, and not sent", err, lost.handed, lost.sent)
	}
}
