package access

import (
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+site.PathSignIn, s.Anybody(showSignIn))
	mux.Handle("POST "+site.PathSignIn, s.Anybody(signIn))
	mux.Handle("POST "+site.PathSignIn+"/passkey/options", s.Anybody(askToSignIn))
	mux.Handle("POST "+site.PathSignIn+"/passkey", s.Anybody(signInByPasskey))
	mux.Handle("GET "+site.PathSetUp, s.Anybody(showSetUp))
	mux.Handle("POST "+site.PathSetUp, s.Anybody(setUp))
	mux.Handle("POST "+site.PathSetUp+"/passkey/options", s.Anybody(askToClaim))
	mux.Handle("POST "+site.PathSetUp+"/passkey", s.Anybody(setUpByPasskey))
	mux.Handle("POST /sign-out", s.Signed(signOut))
}

// entry is what the pages show to who is not signed in.
type entry struct {
	next, code string
	ways       access.Ways
	here       ui.Passkeys
	err        error  // of the form
	fault      string // see fault
}

func showSignIn(v *site.Visit) error {
	if v.Caller != nil {
		return v.To(site.Local(v.R.URL.Query().Get("next")))
	}
	claimed, err := access.Claimed(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	if !claimed {
		return v.To(site.PathSetUp)
	}
	return answerSignIn(v, nil)
}

// answerSignIn shows the page, with what a form was refused for.
func answerSignIn(v *site.Visit, refused error) (err error) {
	next := site.Local(v.R.FormValue("next"))
	x := entry{next: next, here: v.Passkeys(site.PathSignIn + "?next=" + url.QueryEscape(next)), err: refused, fault: fault(v)}
	if x.ways, err = access.SignInWays(v.Context(), v.Owner); err != nil {
		return err
	}
	status := http.StatusOK
	if refused != nil {
		status = site.StatusOf(refused)
	}
	return v.Show(status, words.SignInTitle, "", signInPage(&x))
}

// fault returns what the machine cannot do, as the overview and /readyz have it, for which nobody may
// be let in: a session is written. "": nothing is known.
func fault(v *site.Visit) string {
	fault := v.Owner.RefusesRuns()
	return view.Runtime{OK: fault == "", Fault: fault}.Indicator()
}

// signedIn sends the browser on with its session, or shows again why it has none.
func signedIn(v *site.Visit, opened *access.Opened, err error) error {
	if err == nil {
		v.Guard.Remember(v.W, v.R, opened)
		return v.To(site.Local(v.R.PostFormValue("next")))
	}
	switch abi.CodeOf(err) {
	case access.CodePasswordWrong, access.CodeTooManyAttempts, access.CodePasskeyRefused, access.CodePasskeyCopied, access.CodePasskeyUnknown:
		return answerSignIn(v, err)
	}
	return err
}

// asks is what the browser of a visit asks for a session with.
func asks(v *site.Visit, password string) access.SignIn {
	return access.SignIn{Password: password, From: v.Guard.From(v.R), Agent: v.R.UserAgent(), Mark: v.Guard.Mark(v.R)}
}

func signIn(v *site.Visit) error {
	opened, err := access.SignInWith(v.Context(), v.Owner, &v.Guard.Attempts, asks(v, v.R.PostFormValue("password")))
	return signedIn(v, opened, err)
}

func askToSignIn(v *site.Visit) error {
	d, err := v.Device()
	if err != nil {
		return err
	}
	asked, err := access.AskToSignIn(v.Owner, *d)
	return v.Ask(asked, err)
}

func signInByPasskey(v *site.Visit) error {
	d, err := v.Device()
	if err != nil {
		return err
	}
	opened, err := access.SignInByPasskey(v.Context(), v.Owner, &v.Guard.Attempts, *d, asks(v, ""))
	return signedIn(v, opened, err)
}

// showSetUp shows the choice of a password or a passkey to who has the link's code. It changes
// nothing, so that a look at the link does not use it up.
func showSetUp(v *site.Visit) error {
	code := v.R.URL.Query().Get("code")
	if code == "" {
		return v.Show(http.StatusOK, words.UnclaimedTitle, "", unclaimedPage(fault(v)))
	}
	if err := access.LinkOpen(v.Context(), v.Owner, code); err != nil {
		return err
	}
	return answerSetUp(v, code, http.StatusOK, nil)
}

// answerSetUp shows the page, with what a form was refused for.
func answerSetUp(v *site.Visit, code string, status int, refused error) error {
	return v.Show(status, words.SetUpTitle, "", setUpPage(&entry{code: code, here: v.Passkeys(site.SetUpAddress("", code)), err: refused}))
}

// claimed greets the new owner, or shows again why they are none yet.
func claimed(v *site.Visit, opened *access.Opened, err error, done words.Key) error {
	if err == nil {
		v.Guard.Remember(v.W, v.R, opened)
		return v.Done(site.PathOverview, done)
	}
	switch abi.CodeOf(err) {
	case abi.CodeUsage, access.CodePasswordShort, access.CodePasskeyRefused:
		return answerSetUp(v, v.R.PostFormValue("code"), site.StatusOf(err), err)
	}
	return err
}

func setUp(v *site.Visit) error {
	code, password := v.R.PostFormValue("code"), v.R.PostFormValue("password")
	if password != v.R.PostFormValue("again") {
		return claimed(v, nil, abi.NewError(abi.CodeUsage, words.NotTheSame, words.NotTheSameHint), "")
	}
	opened, err := access.Claim(v.Context(), v.Owner, code, password, v.R.UserAgent())
	return claimed(v, opened, err, words.PasswordSet)
}

func askToClaim(v *site.Visit) error {
	d, err := v.Device()
	if err != nil {
		return err
	}
	asked, err := access.AskToClaim(v.Context(), v.Owner, *d, v.R.PostFormValue("code"))
	return v.Ask(asked, err)
}

func setUpByPasskey(v *site.Visit) error {
	d, err := v.Device()
	if err != nil {
		return err
	}
	opened, err := access.ClaimByPasskey(v.Context(), v.Owner, v.R.PostFormValue("code"), *d, ui.Agent(v.R.UserAgent()), v.R.UserAgent())
	return claimed(v, opened, err, words.PasskeySet)
}

func signOut(v *site.Visit) error {
	err := access.EndSession(v.Context(), v.Owner, v.Caller.Actor.ID)
	if err != nil && abi.CodeOf(err) != access.CodeSessionUnknown {
		return err
	}
	v.Guard.Forget(v.W, v.R)
	return v.Done(site.PathSignIn, words.SignedOutNow)
}
