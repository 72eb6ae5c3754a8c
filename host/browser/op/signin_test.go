package op

import "testing"

// BR-13.5: a secret counts as sent from its first letter on, since pages send by themselves what is
// typed; what may be seen does so once something is pressed. The connector's word that it was let
// in ends the hold, and not what is known of what was sent.
func TestWhatCountsAsSent(t *testing.T) {
	t.Parallel()
	var secret, public codes
	if secret.note(true); !secret.handed || !secret.sent {
		t.Errorf("a secret is typed: got handed %v, sent %v, want both", secret.handed, secret.sent)
	}
	if public.note(false); public.handed || public.sent {
		t.Errorf("a name is typed: got handed %v, sent %v, want neither", public.handed, public.sent)
	}
	if public.submit(); !public.handed || !public.sent {
		t.Errorf("a name is submitted: got handed %v, sent %v, want both", public.handed, public.sent)
	}
	if secret.enter(); secret.handed || !secret.sent {
		t.Errorf("let in: got handed %v, sent %v, want it sent alone", secret.handed, secret.sent)
	}
}
