package access_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crypto/rand"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// rig is an owner over a store of its own, with a clock that the test moves.
type rig struct {
	*owner.Owner

	t   *testing.T
	us  atomic.Int64
	dir string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	path := fresh.Store(t, filepath.Join(r.dir, "pdpp.sqlite"))
	r.us.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	now := func() time.Time { return time.UnixMicro(r.us.Load()) }
	r.Owner = owner.New(owner.Deps{
		Open: func(ctx context.Context) (*storage.Store, error) {
			return storage.Open(ctx, storage.Options{Path: path, Now: now})
		},
		Actor: owner.Actor{Face: owner.BrowserSession, Address: "192.0.2.1"}, Now: now, Random: rand.Reader,
	})
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// operator is the owner who types commands, and is asked for no proof.
func (r *rig) operator() *owner.Owner {
	r.t.Helper()
	_, err := r.Store(r.t.Context()) // which all of its owners share
	r.ok(err)
	return r.As(owner.Actor{Face: owner.CommandLine}, nil)
}

func (r *rig) forward(d time.Duration) { r.us.Add(d.Microseconds()) }

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) code(err error, want abi.Code) {
	r.t.Helper()
	if got := abi.CodeOf(err); err == nil || got != want {
		r.t.Fatalf("the error is %v (%s), want %s", err, got, want)
	}
}

const password = "four plain words here"

func (r *rig) claim() *access.Opened {
	r.t.Helper()
	link, err := access.OfferLink(r.t.Context(), r.Owner)
	r.ok(err)
	opened, err := access.Claim(r.t.Context(), r.Owner, link.Code, password, "Browser")
	r.ok(err)
	return opened
}

// OC-03, RD-51.1, RD-51.2: a link chooses the password once. OC-04, OC-04.1: each sign-in is a session with a
// secret of its own, and a change of the password ends the others.
func TestOwnerSignsIn(t *testing.T) {
	t.Parallel()
	r, ctx, tries := newRig(t), t.Context(), &access.Attempts{}
	claimed, err := access.Claimed(ctx, r.Owner)
	r.ok(err)
	if claimed {
		t.Error("a fresh host is claimed, want that it is not")
	}
	_, err = access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: ""})
	r.code(err, access.CodePasswordWrong)
	link, err := access.OfferLink(ctx, r.Owner)
	r.ok(err)
	_, err = access.Claim(ctx, r.Owner, link.Code, "too short 1", "")
	r.code(err, access.CodePasswordShort)
	_, err = access.Claim(ctx, r.Owner, "x"+link.Code, password, "")
	r.code(err, access.CodeLinkInvalid)
	first, err := access.Claim(ctx, r.Owner, link.Code, password, "Browser\x1b[31m")
	r.ok(err)
	_, err = access.Claim(ctx, r.Owner, link.Code, password, "")
	r.code(err, access.CodeLinkInvalid)

	_, err = access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: password + " "})
	r.code(err, access.CodePasswordWrong)
	second, err := access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: password, Agent: "Other"})
	r.ok(err)
	if first.Secret == second.Secret || first.ID == second.ID {
		t.Error("two sessions share a secret or an id")
	}
	who, err := access.BySession(ctx, r.Owner, second.Secret)
	r.ok(err)
	if who.Actor.ID != second.ID || who.Scope != access.ScopeManage {
		t.Errorf("the caller is %+v, want session %s with manage", who, second.ID)
	}
	r.Actor.ID = second.ID
	all, err := access.Sessions(ctx, r.Owner)
	r.ok(err)
	if len(all) != 2 || all[0].Current == all[1].Current {
		t.Errorf("sessions are %+v, want two of which one is the caller's", all)
	}
	r.ok(access.ChangePassword(ctx, r.Owner, tries, netip.Prefix{}, password, "five other plain words"))
	_, err = access.BySession(ctx, r.Owner, first.Secret)
	r.code(err, access.CodeSignedOut)
	_, err = access.BySession(ctx, r.Owner, second.Secret)
	r.ok(err)
	r.code(access.ChangePassword(ctx, r.Owner, tries, netip.Prefix{}, password, "five other plain words"), access.CodePasswordWrong)
	r.ok(access.EndSession(ctx, r.Owner, second.ID))
	r.code(access.EndSession(ctx, r.Owner, second.ID), access.CodeSessionUnknown)
	r.Actor.ID = "" // whoever asks next is a visitor

	// OC-03.2
	third, err := access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: "five other plain words"})
	r.ok(err)
	_, err = access.Reset(ctx, r.Owner)
	r.ok(err)
	_, err = access.BySession(ctx, r.Owner, third.Secret)
	r.code(err, access.CodeSignedOut)
	_, err = access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: "five other plain words"})
	r.code(err, access.CodePasswordWrong)
}

// OC-04: a session slides for 30 days, and ends after 90.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	opened := r.claim()
	const day = 24 * time.Hour
	for range 3 {
		r.forward(29 * day)
		_, err := access.BySession(ctx, r.Owner, opened.Secret)
		r.ok(err)
	}
	r.forward(3 * day) // 90 in all
	_, err := access.BySession(ctx, r.Owner, opened.Secret)
	r.code(err, access.CodeSignedOut)
	idle, err := access.SignInWith(ctx, r.Owner, &access.Attempts{}, access.SignIn{Password: password})
	r.ok(err)
	r.forward(30 * day)
	_, err = access.BySession(ctx, r.Owner, idle.Secret)
	r.code(err, access.CodeSignedOut)
}

// OC-04.2: ten wrong passwords slow sign-in down for their address to one try in 30 seconds, and for no other
// one. Sessions that are open go on, and the right password is let in then.
func TestWrongPasswordsSlowSignInDown(t *testing.T) {
	t.Parallel()
	r, ctx, tries := newRig(t), t.Context(), &access.Attempts{}
	opened := r.claim()
	try := func(address, word string) error {
		_, err := access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: word, From: netip.MustParsePrefix(address)})
		return err
	}
	for range 10 {
		r.code(try("192.0.2.1/32", "wrong"), access.CodePasswordWrong)
	}
	r.code(try("192.0.2.1/32", password), access.CodeTooManyAttempts)
	r.ok(try("192.0.2.2/32", password)) // of another address
	_, err := access.BySession(ctx, r.Owner, opened.Secret)
	r.ok(err)
	r.forward(30*time.Second - time.Microsecond)
	r.code(try("192.0.2.1/32", "wrong"), access.CodeTooManyAttempts)
	r.forward(time.Microsecond)
	r.code(try("192.0.2.1/32", "wrong"), access.CodePasswordWrong)
	r.code(try("192.0.2.1/32", "wrong"), access.CodeTooManyAttempts)
	r.forward(30 * time.Second)
	for range 11 { // the right one counts for nothing
		r.ok(try("192.0.2.1/32", password))
	}
}

// A browser that signed in before has tries of its own, until the password changes or the host is reset, whatever
// its address sent. Nobody makes a mark up, and another browser's or another host's is none.
func TestAKnownBrowserHasTriesOfItsOwn(t *testing.T) {
	t.Parallel()
	r, ctx, tries := newRig(t), t.Context(), &access.Attempts{}
	try := func(mark, word string) (*access.Opened, error) {
		return access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: word, Mark: mark})
	}
	first := r.claim()
	other, err := access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: password, From: netip.MustParsePrefix("192.0.2.1/32")})
	r.ok(err)
	if len(first.Mark) != 64 || len(other.Mark) != 64 || first.Mark == other.Mark {
		t.Fatalf("the marks are %q and %q, want two of 64 characters", first.Mark, other.Mark)
	}
	elsewhere := newRig(t).claim()
	for range 10 {
		_, err := try("", "wrong")
		r.code(err, access.CodePasswordWrong)
	}
	for what, mark := range map[string]string{
		"none": "", "another host's": elsewhere.Mark, "a longer one": first.Mark + "AAAA", "made up": strings.Repeat("A", 64), "of two browsers": first.Mark[:20] + other.Mark[20:],
	} {
		if _, err := try(mark, password); abi.CodeOf(err) != access.CodeTooManyAttempts {
			t.Errorf("%s: got %v, want %s", what, err, access.CodeTooManyAttempts)
		}
	}
	again, err := try(first.Mark, password)
	r.ok(err)
	if again.Mark != first.Mark {
		t.Errorf("the mark is %q after one more sign-in, want %q", again.Mark, first.Mark)
	}
	for range 10 {
		_, err := try(first.Mark, "wrong")
		r.code(err, access.CodePasswordWrong)
	}
	_, err = try(first.Mark, password)
	r.code(err, access.CodeTooManyAttempts)
	_, err = try(other.Mark, password)
	r.ok(err)

	r.Actor.ID = again.ID
	r.ok(access.ChangePassword(ctx, r.Owner, &access.Attempts{}, netip.Prefix{}, password, "five other plain words"))
	r.Actor.ID = ""
	_, err = try(other.Mark, "five other plain words")
	r.code(err, access.CodeTooManyAttempts)
	next, err := access.NewMark(ctx, r.Owner)
	r.ok(err)
	_, err = try(next, "five other plain words")
	r.ok(err)
	_, err = access.Reset(ctx, r.Owner)
	r.ok(err)
	r.claim()
	_, err = try(next, password)
	r.code(err, access.CodeTooManyAttempts)
}

// OC-04.3: a failure takes the same work whatever is wrong, and so the same time: the
// memory that the hash fills, before a password was chosen as well.
//
//nolint:paralleltest // it counts what this process allocates
func TestFailuresTakeTheSameWork(t *testing.T) {
	r, ctx, tries := newRig(t), t.Context(), &access.Attempts{}
	_, err := r.Store(ctx) // opening it is no work of a sign-in
	r.ok(err)
	work := func(word string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := access.SignInWith(ctx, r.Owner, tries, access.SignIn{Password: word})
		runtime.ReadMemStats(&after)
		r.code(err, access.CodePasswordWrong)
		return after.TotalAlloc - before.TotalAlloc
	}
	used := map[string]uint64{"none was chosen": work(password)}
	r.claim()
	used["a wrong one"], used["an empty one"], used["one too long"] = work("wrong"), work(""), work(strings.Repeat("x", 4096))
	for what, bytes := range used {
		if bytes < 19<<20 || bytes >= 2*19<<20 { // between them lies what opening and searching takes
			t.Errorf("%s: got %d bytes of work, want the 19 MiB of one hash", what, bytes)
		}
	}
}

// OC-06, OC-06.1: a token has a name, a scope and an end, and is shown once.
func TestTokens(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	for _, bad := range []access.NewToken{
		{Name: "", Scope: access.ScopeRead},
		{Name: "a\x1bb", Scope: access.ScopeRead},
		{Name: "a", Scope: "everything"},
		{Name: "a", Scope: access.ScopeRead, Expires: time.Second},
		{Name: "a", Scope: access.ScopeRead, Expires: 366 * 24 * time.Hour},
	} {
		_, err := access.CreateToken(ctx, r.operator(), bad)
		r.code(err, abi.CodeUsage)
	}
	made, err := access.CreateToken(ctx, r.operator(), access.NewToken{Name: "backup", Scope: access.ScopeRun})
	r.ok(err)
	if !strings.HasPrefix(made.Secret, "pdpp_ot_") || len(made.Secret) != len("pdpp_ot_")+43 {
		t.Errorf("a token has %d characters, want pdpp_ot_ and 43", len(made.Secret))
	}
	who, err := access.ByToken(ctx, r.Owner, made.Secret)
	r.ok(err)
	for need, want := range map[access.Scope]bool{access.ScopeRead: true, access.ScopeRun: true, access.ScopeManage: false, "": false} {
		if got := who.Allows(need) == nil; got != want {
			t.Errorf("a token of scope run allows %q: %t, want %t", need, got, want)
		}
	}
	all, err := access.Tokens(ctx, r.Owner)
	r.ok(err)
	if len(all) != 1 || all[0].Name != "backup" || all[0].UsedAt == nil || all[0].ExpiresAt.Sub(all[0].CreatedAt).Round(time.Hour) != access.TokenLife {
		t.Errorf("tokens are %+v, want one that was used and lasts 90 days", all)
	}
	_, err = access.ByToken(ctx, r.Owner, made.Secret[:len(made.Secret)-1])
	r.code(err, access.CodeTokenRefused)
	r.forward(access.TokenLife)
	_, err = access.ByToken(ctx, r.Owner, made.Secret)
	r.code(err, access.CodeTokenRefused)
	r.ok(access.RevokeToken(ctx, r.Owner, made.ID))
	r.code(access.RevokeToken(ctx, r.Owner, made.ID), access.CodeTokenUnknown)
}

// Invariant 5, RD-48.1: no password, link, session's secret or token is in the store's
// files or in an audit event, in any encoding.
func TestSecretsAreHashedOnly(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	link, err := access.OfferLink(ctx, r.Owner)
	r.ok(err)
	opened, err := access.Claim(ctx, r.Owner, link.Code, password, "Browser")
	r.ok(err)
	made, err := access.CreateToken(ctx, r.operator(), access.NewToken{Name: "backup", Scope: access.ScopeRead})
	r.ok(err)
	_, err = access.SignInWith(ctx, r.Owner, &access.Attempts{}, access.SignIn{Password: "wrong " + password})
	r.code(err, access.CodePasswordWrong)
	r.ok(r.Close())
	files, err := filepath.Glob(filepath.Join(r.dir, "*"))
	r.ok(err)
	for _, path := range files {
		bytes, err := os.ReadFile(path)
		r.ok(err)
		for name, secret := range map[string]string{"the password": password, "the link": link.Code, "the session": opened.Secret, "the token": made.Secret} {
			for _, form := range []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(string(bytes), form) {
					t.Errorf("%s is in %s, want its hash alone", name, filepath.Base(path))
				}
			}
		}
	}
	if len(files) == 0 {
		t.Error("no file was looked at")
	}
}
