package access

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+site.PathSignIn, s.Anybody(showSignIn))
	mux.Handle("POST "+site.PathSignIn, s.Anybody(signIn))
	mux.Handle("GET "+site.PathSetUp, s.Anybody(showSetUp))
	mux.Handle("POST "+site.PathSetUp, s.Anybody(setUp))
	mux.Handle("POST /sign-out", s.Signed(signOut))
}

func showSignIn(v *site.Visit) error {
	next := site.Local(v.R.URL.Query().Get("next"))
	if v.Caller != nil {
		return v.To(next)
	}
	claimed, err := access.Claimed(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	if !claimed {
		return v.To(site.PathSetUp)
	}
	return v.Show(http.StatusOK, words.SignInTitle, "", signInPage(next, nil))
}

func signIn(v *site.Visit) error {
	next := site.Local(v.R.PostFormValue("next"))
	opened, err := access.SignInWith(v.Context(), v.Owner, &v.Guard.Attempts, access.SignIn{
		Password: v.R.PostFormValue("password"), From: v.Guard.From(v.R), Agent: v.R.UserAgent(),
	})
	if code := abi.CodeOf(err); err != nil && (code == access.CodePasswordWrong || code == access.CodeTooManyAttempts) {
		return v.Show(site.StatusOf(err), words.SignInTitle, "", signInPage(next, err))
	}
	if err != nil {
		return err
	}
	v.Guard.Remember(v.W, v.R, opened.Secret)
	return v.To(next)
}

// showSetUp shows the choice of a password to who has the link's code. It changes nothing,
// so that a look at the link does not use it up.
func showSetUp(v *site.Visit) error {
	code := v.R.URL.Query().Get("code")
	if code == "" {
		return v.Show(http.StatusOK, words.UnclaimedTitle, "", unclaimedPage())
	}
	if err := access.LinkOpen(v.Context(), v.Owner, code); err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.SetUpTitle, "", setUpPage(code, nil))
}

func setUp(v *site.Visit) error {
	code, password := v.R.PostFormValue("code"), v.R.PostFormValue("password")
	if password != v.R.PostFormValue("again") {
		err := abi.NewError(abi.CodeUsage, words.NotTheSame, words.NotTheSameHint)
		return v.Show(site.StatusOf(err), words.SetUpTitle, "", setUpPage(code, err))
	}
	opened, err := access.Claim(v.Context(), v.Owner, code, password, v.R.UserAgent())
	if code0 := abi.CodeOf(err); err != nil && (code0 == access.CodePasswordShort || code0 == abi.CodeUsage) {
		return v.Show(site.StatusOf(err), words.SetUpTitle, "", setUpPage(code, err))
	}
	if err != nil {
		return err
	}
	v.Guard.Remember(v.W, v.R, opened.Secret)
	return v.Done(site.PathOverview, words.PasswordSet)
}

func signOut(v *site.Visit) error {
	err := access.EndSession(v.Context(), v.Owner, v.Caller.Actor.ID)
	if err != nil && abi.CodeOf(err) != access.CodeSessionUnknown {
		return err
	}
	v.Guard.Forget(v.W, v.R)
	return v.Done(site.PathSignIn, words.SignedOutNow)
}
