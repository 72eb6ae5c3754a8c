package access_test

import (
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/passkey"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/authenticator"
)

// party is the host as its owner's browser reaches it.
var party = passkey.Party{ID: "pdpp.example.org", Origin: "https://pdpp.example.org"}

// keyed is a browser with a device that holds passkeys.
type keyed struct {
	*rig

	device     *authenticator.Device
	ceremonies *passkey.Ceremonies
	tries      *access.Attempts
}

func (r *rig) keyed() *keyed {
	return &keyed{r, authenticator.New(party.Origin), &passkey.Ceremonies{}, &access.Attempts{}}
}

// answers returns what the browser sends once its device has answered.
func (k *keyed) answers(asked *access.Asked, err error, device func([]byte) ([]byte, error)) access.Device {
	k.t.Helper()
	k.ok(err)
	answer, err := device(asked.Options)
	k.ok(err)
	return access.Device{Ceremonies: k.ceremonies, Party: party, Ticket: asked.Ticket, Answer: answer}
}

func (k *keyed) browser() access.Device {
	return access.Device{Ceremonies: k.ceremonies, Party: party}
}

func (k *keyed) use() access.Device {
	k.t.Helper()
	asked, err := access.AskToSignIn(k.Owner, k.browser())
	return k.answers(asked, err, k.device.Use)
}

// signIn has the owner's browser sign in, whose new session takes the place of the one it had.
func (k *keyed) signIn(d access.Device) (*access.Opened, error) {
	opened, err := access.SignInByPasskey(k.t.Context(), k.Owner, k.tries, d, access.SignIn{Agent: "Browser"})
	if err == nil {
		k.Actor.ID = opened.ID
	}
	return opened, err
}

func (k *keyed) make() access.Device {
	k.t.Helper()
	o := k.As(owner.Actor{Face: owner.CommandLine, ID: k.Actor.ID}, nil) // a proof is a test of its own
	asked, err := access.AskToAdd(k.t.Context(), o, k.browser())
	return k.answers(asked, err, k.device.Make)
}

// claimed is the owner's browser, who has chosen a passkey and no password.
func (r *rig) claimedByPasskey() *keyed {
	r.t.Helper()
	k, ctx := r.keyed(), r.t.Context()
	link, err := access.OfferLink(ctx, r.Owner)
	r.ok(err)
	asked, err := access.AskToClaim(ctx, r.Owner, k.browser(), link.Code)
	opened, err := access.ClaimByPasskey(ctx, r.Owner, link.Code, k.answers(asked, err, k.device.Make), "laptop", "Browser")
	r.ok(err)
	r.Actor.ID = opened.ID
	return k
}

// last is the newest audit event, without its time.
func (r *rig) last() string {
	r.t.Helper()
	page, err := r.AuditEvents(r.t.Context(), owner.AuditQuery{Limit: 1})
	r.ok(err)
	e := page.Events[0]
	return e.Operation + " " + e.Subject + " " + e.Outcome
}

// OC-03: a link chooses a passkey in the place of a password. The owner signs in with it, adds
// another one and a password, and removes all passkeys; the last way to sign in stays.
func TestOwnerSignsInByPasskey(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	k := r.claimedByPasskey()
	claimed, err := access.Claimed(ctx, r.Owner)
	r.ok(err)
	ways, err := access.SignInWays(ctx, r.Owner)
	r.ok(err)
	if !claimed || ways != (access.Ways{Passkey: true}) {
		t.Errorf("claimed %t with the ways %+v, want true, with a passkey alone", claimed, ways)
	}
	_, err = access.SignInWith(ctx, r.Owner, k.tries, access.SignIn{Password: ""})
	r.code(err, access.CodePasswordWrong)
	r.forward(time.Hour)
	former := r.Actor.ID
	opened, err := k.signIn(k.use())
	r.ok(err)
	who, err := access.BySession(ctx, r.Owner, opened.Secret)
	r.ok(err)
	if who.Actor.ID != opened.ID || who.Scope != access.ScopeManage {
		t.Errorf("the caller is %+v, want session %s with manage", who, opened.ID)
	}
	all, err := access.Passkeys(ctx, r.Owner)
	r.ok(err)
	if len(all) != 1 || all[0].Name != "laptop" || all[0].Host != party.ID || all[0].UsedAt == nil || !all[0].UsedAt.After(all[0].CreatedAt) {
		t.Errorf("passkeys are %+v, want one, called laptop, that was used", all)
	}
	if got, want := r.last(), "owner.sign_in "+opened.ID+" "+all[0].ID+" "+former+" done"; got != want {
		t.Errorf("the audit event is %q, want %q", got, want)
	}
	r.code(access.RemovePasskey(ctx, r.Owner, all[0].ID), access.CodePasskeyLast)
	if got, want := r.last(), "owner.remove_passkey "+all[0].ID+" owner.passkey_last"; got != want {
		t.Errorf("the audit event is %q, want %q", got, want)
	}
	r.code(access.RemovePasskey(ctx, r.Owner, "pk_0"), access.CodePasskeyUnknown)

	phone := &keyed{r, authenticator.New(party.Origin), k.ceremonies, k.tries}
	r.ok(access.AddPasskey(ctx, r.Owner, phone.make(), "phone\x1b[31m\u202e"))
	again := phone.device.Copy()
	if asked, err := access.AskToAdd(ctx, r.Owner, k.browser()); err != nil {
		t.Error(err)
	} else if _, err := again.Make(asked.Options); err == nil {
		t.Error("the device makes a second passkey of the owner's, want the options to keep it from that")
	}
	elsewhere, err := access.SignInByPasskey(ctx, r.As(owner.Actor{Face: owner.BrowserSession}, nil), k.tries, k.use(), access.SignIn{})
	r.ok(err)
	r.ok(access.RemovePasskey(ctx, r.Owner, all[0].ID))
	_, err = access.BySession(ctx, r.Owner, elsewhere.Secret)
	r.code(err, access.CodeSignedOut) // who has the device may be signed in
	_, err = k.signIn(k.use())
	r.code(err, access.CodePasskeyRefused)
	_, err = phone.signIn(phone.use())
	r.ok(err)

	// The first password needs none before it; the next one does.
	r.ok(access.ChangePassword(ctx, r.Owner, k.tries, netip.Prefix{}, "", password))
	r.code(access.ChangePassword(ctx, r.Owner, k.tries, netip.Prefix{}, "", password), access.CodePasswordWrong)
	all, err = access.Passkeys(ctx, r.Owner)
	r.ok(err)
	if len(all) != 1 || strings.ContainsAny(all[0].Name, "\x1b\u202e") {
		t.Errorf("passkeys are %+v, want that of the phone, called by plain text", all)
	}
	r.ok(access.RemovePasskey(ctx, r.Owner, all[0].ID))
	opened, err = access.SignInWith(ctx, r.Owner, k.tries, access.SignIn{Password: password})
	r.ok(err)
	r.Actor.ID = opened.ID

	// OC-03.2: a reset ends passkeys as well.
	r.ok(access.AddPasskey(ctx, r.Owner, k.make(), ""))
	_, err = access.Reset(ctx, r.Owner)
	r.ok(err)
	_, err = k.signIn(k.use())
	r.code(err, access.CodePasskeyRefused)
	if claimed, err := access.Claimed(ctx, r.Owner); claimed || err != nil {
		t.Errorf("after a reset the host is claimed: %t, %v; want that it is not", claimed, err)
	}
}

// OC-03: an answer counts for the challenge of this host, page, browser and purpose, in time
// and once, with its user verified, and with nobody's word on who made the device.
func TestPasskeyAnswersAreJudged(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	k := r.claimedByPasskey()
	other := &keyed{newRig(t), k.device, &passkey.Ceremonies{}, &access.Attempts{}}
	says := func(member string, value any) func(map[string]any) {
		return func(c map[string]any) { c[member] = value }
	}
	lies := map[string]func() access.Device{
		"another origin":     func() access.Device { k.device.Origin = "https://evil.example"; return k.use() },
		"the same in clear":  func() access.Device { k.device.Origin = "http://pdpp.example.org"; return k.use() },
		"another port":       func() access.Device { k.device.Origin += ":8443"; return k.use() },
		"a foreign frame":    func() access.Device { k.device.Lie = says("crossOrigin", true); return k.use() },
		"another challenge":  func() access.Device { k.device.Lie = says("challenge", strings.Repeat("A", 43)); return k.use() },
		"another ceremony":   func() access.Device { k.device.Lie = says("type", "webauthn.create"); return k.use() },
		"no user verified":   func() access.Device { k.device.Flags = authenticator.Present; return k.use() },
		"no user present":    func() access.Device { k.device.Flags = authenticator.Verified; return k.use() },
		"a backup suddenly":  func() access.Device { k.device.Flags |= authenticator.Eligible; return k.use() },
		"another host":       func() access.Device { d := k.use(); d.Party.ID = "example.org"; return d },
		"another process":    func() access.Device { d := k.use(); d.Ceremonies = other.ceremonies; return d },
		"a made-up ticket":   func() access.Device { d := k.use(); d.Ticket = strings.Repeat("_", len(d.Ticket)); return d },
		"another's ticket":   func() access.Device { d := k.use(); d.Ticket = k.use().Ticket; return d },
		"a ticket with more": func() access.Device { d := k.use(); d.Ticket += "A"; return d },
		"no ticket":          func() access.Device { d := k.use(); d.Ticket = ""; return d },
		"no answer":          func() access.Device { d := k.use(); d.Answer = nil; return d },
		"two answers":        func() access.Device { d := k.use(); d.Answer = append(d.Answer, d.Answer...); return d },
		"a huge answer":      func() access.Device { d := k.use(); d.Answer = append(d.Answer, make([]byte, 64<<10)...); return d },
		"a new passkey":      func() access.Device { k.device = authenticator.New(party.Origin); return k.make() },
		"too late":           func() access.Device { d := k.use(); r.forward(passkey.Life); return d },
		"an old one again": func() access.Device {
			d := k.use()
			_, err := k.signIn(d)
			r.ok(err)
			return d
		},
		"another user": func() access.Device {
			d := k.use()
			i := strings.Index(string(d.Answer), `"userHandle":"`) + len(`"userHandle":"`)
			d.Answer[i] ^= 3
			return d
		},
		"another signature": func() access.Device {
			d := k.use()
			i := strings.Index(string(d.Answer), `"signature":"`) + len(`"signature":"`) + 20
			d.Answer[i] = map[bool]byte{true: 'B', false: 'A'}[d.Answer[i] == 'A']
			return d
		},
	}
	honest := k.device.Copy()
	for what, lie := range lies {
		k.device = honest.Copy()
		d := lie()
		_, err := k.signIn(d)
		if got := r.last(); err == nil || !strings.Contains(err.Error(), string(access.CodePasskeyRefused)) || got != "owner.sign_in owner owner.passkey_refused" {
			t.Errorf("%s: got %v with the event %q, want owner.passkey_refused with one", what, err, got)
		}
		k.tries = &access.Attempts{}
	}
	k.device = honest.Copy()
	_, err := k.signIn(k.use())
	r.ok(err)

	// The same of a new passkey.
	session := r.Actor.ID
	for what, lie := range map[string]func() access.Device{
		"another origin":    func() access.Device { k.device.Origin = "https://evil.example"; return k.make() },
		"no user verified":  func() access.Device { k.device.Flags = authenticator.Present; return k.make() },
		"a use of one":      k.use,
		"another session's": func() access.Device { d := k.make(); r.Actor.ID = "ses_other"; return d },
		"too late":          func() access.Device { d := k.make(); r.forward(passkey.Life); return d },
		"signed certificates": func() access.Device {
			k.device.Format, k.device.Statement = "packed", []byte("\xa3\x63alg\x26\x63sig\x40\x63x5c\x80")
			return k.make()
		},
		"a TPM's word":    func() access.Device { k.device.Format, k.device.Statement = "tpm", []byte("\xa0"); return k.make() },
		"an unknown word": func() access.Device { k.device.Format, k.device.Statement = "mine", []byte("\xa0"); return k.make() },
	} {
		k.device = authenticator.New(party.Origin)
		if what == "a use of one" {
			k.device = honest.Copy()
		}
		d := lie()
		if err := access.AddPasskey(ctx, r.Owner, d, "x"); err == nil || !strings.Contains(err.Error(), string(access.CodePasskeyRefused)) {
			t.Errorf("%s: got %v, want owner.passkey_refused", what, err)
		}
		r.Actor.ID = session
	}
	if all, err := access.Passkeys(ctx, r.Owner); err != nil || len(all) != 1 {
		t.Errorf("got %d passkeys, %v; want the first one alone", len(all), err)
	}
}

// OC-03: a link's passkey is for that link, which is used up.
func TestAClaimByPasskeyIsForItsLink(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	k := r.keyed()
	first, err := access.OfferLink(ctx, r.Owner)
	r.ok(err)
	asked, err := access.AskToClaim(ctx, r.Owner, k.browser(), first.Code)
	d := k.answers(asked, err, k.device.Make)
	second, err := access.OfferLink(ctx, r.Owner)
	r.ok(err)
	_, err = access.ClaimByPasskey(ctx, r.Owner, first.Code, d, "", "")
	r.code(err, access.CodeLinkInvalid)
	_, err = access.ClaimByPasskey(ctx, r.Owner, second.Code, d, "", "")
	r.code(err, access.CodePasskeyRefused)
	_, err = access.AskToClaim(ctx, r.Owner, k.browser(), first.Code)
	r.code(err, access.CodeLinkInvalid)
	asked, err = access.AskToClaim(ctx, r.Owner, k.browser(), second.Code)
	d = k.answers(asked, err, authenticator.New(party.Origin).Make)
	_, err = access.ClaimByPasskey(ctx, r.Owner, second.Code, d, "", "")
	r.ok(err)
	_, err = access.ClaimByPasskey(ctx, r.Owner, second.Code, d, "", "")
	r.code(err, access.CodeLinkInvalid)
}

// OC-03: a device whose counter goes back is refused, and that is audited: it may be a copy.
func TestACopiedPasskeyIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	k := r.claimedByPasskey()
	k.device.Counts, k.device.Uses = true, 41
	copied := &keyed{r, k.device.Copy(), k.ceremonies, k.tries}
	_, err := k.signIn(k.use())
	r.ok(err)
	all, err := access.Passkeys(t.Context(), r.Owner)
	r.ok(err)
	_, err = copied.signIn(copied.use())
	r.code(err, access.CodePasskeyCopied)
	if got, want := r.last(), " "+all[0].ID+" "+r.Actor.ID+" owner.passkey_copied"; !strings.HasPrefix(got, "owner.sign_in ses_") || !strings.HasSuffix(got, want) {
		t.Errorf("the audit event is %q, want one that ends with %q", got, want)
	}
	_, err = k.signIn(k.use())
	r.ok(err)
}

// OC-04.2: passkeys that are refused slow passwords and wrong passkeys of their address down, and a right passkey by
// nothing: neither by its own address, nor by what strangers send from everywhere.
func TestWrongPasskeysSlowSignInDown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	k := r.claimedByPasskey()
	for range 5 {
		_, err := access.SignInWith(t.Context(), r.Owner, k.tries, access.SignIn{Password: "wrong"})
		r.code(err, access.CodePasswordWrong)
		_, err = k.signIn(k.browser())
		r.code(err, access.CodePasskeyRefused)
	}
	_, err := k.signIn(k.browser())
	r.code(err, access.CodeTooManyAttempts)
	_, err = access.SignInWith(t.Context(), r.Owner, k.tries, access.SignIn{Password: "wrong"})
	r.code(err, access.CodeTooManyAttempts)
	refused := 0
	for i := range 60 {
		from := netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}), 32)
		_, err := access.SignInByPasskey(t.Context(), r.Owner, k.tries, k.browser(), access.SignIn{From: from})
		if abi.CodeOf(err) == access.CodePasskeyRefused {
			refused++
		}
	}
	if refused != 45 { // of the fifty that are noted, five were before
		t.Errorf("got %d that were noted, want 45", refused)
	}
	for range 3 {
		_, err = k.signIn(k.use())
		r.ok(err)
	}
}

// OC-04.3: a passkey that this host does not know takes the same work as one that it knows
// with a wrong signature or for another user: the check of one signature, seen by its memory.
//
//nolint:paralleltest // it counts what this process allocates
func TestRefusedPasskeysTakeTheSameWork(t *testing.T) {
	r := newRig(t)
	k := r.claimedByPasskey()
	unknown := &keyed{r, authenticator.New(party.Origin), k.ceremonies, k.tries}
	unknown.make()
	spoilt := func(member string) access.Device {
		d := k.use()
		i := strings.Index(string(d.Answer), `"`+member+`":"`) + len(member) + 30
		d.Answer[i] = map[bool]byte{true: 'B', false: 'A'}[d.Answer[i] == 'A']
		return d
	}
	used := map[string]uint64{}
	for what, answer := range map[string]func() access.Device{
		"an unknown one": unknown.use, "another signature": func() access.Device { return spoilt("signature") }, "another user": func() access.Device { return spoilt("userHandle") },
	} {
		least := ^uint64(0)
		for range 5 {
			d := answer()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := k.signIn(d)
			runtime.ReadMemStats(&after)
			r.code(err, access.CodePasskeyRefused)
			least = min(least, after.Mallocs-before.Mallocs)
			k.tries = &access.Attempts{}
		}
		used[what] = least
	}
	for what, n := range used {
		if want := used["another signature"]; n > want+want/10 || n < want-want/10 {
			t.Errorf("%s: got %d allocations, want about the %d of a wrong signature", what, n, want)
		}
	}
}
