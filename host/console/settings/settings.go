package settings

import (
	"context"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/settings"
	"github.com/pdpp-host/pdpp-host/host/web"
)

const path = "/settings"

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(func(v *site.Visit) error { return show(v, http.StatusOK, view{}) }))
	mux.Handle("POST "+path+"/look", s.Signed(keepLook))
	mux.Handle("POST "+path+"/password", s.Signed(changePassword))
	mux.Handle("POST "+path+"/passkeys/options", s.Signed(askToAdd))
	mux.Handle("POST "+path+"/passkeys", s.Signed(addPasskey))
	mux.Handle("POST "+path+"/passkeys/remove", s.Signed(removePasskey))
	mux.Handle("POST "+path+"/sessions/end", s.Signed(endSession))
	mux.Handle("POST "+path+"/sessions/end-others", s.Signed(endOthers))
	mux.Handle("GET "+pathMade, s.Signed(showMade))
	mux.Handle("POST "+pathMade+"/end", s.Signed(endMade))
	mux.Handle("POST "+path+"/tokens", s.Signed(createToken))
	mux.Handle("POST "+path+"/tokens/revoke", s.Signed(revokeToken))
}

// view is what the page shows.
type view struct {
	Proof    string
	Theme    ui.Theme
	Ways     access.Ways
	Passkeys []access.Passkey
	Here     ui.Passkeys
	Sessions []access.Session
	Tokens   []access.Token
	Values   *settings.Settings
	Version  string
	Now      time.Time

	PasswordErr, PasskeyErr, TokenErr error
	Token                             access.NewToken // as it was asked for
}

// show shows the page, with what a form was refused for.
func show(v *site.Visit, status int, x view) (err error) {
	ctx := v.Context()
	if x.Ways, err = access.SignInWays(ctx, v.Owner); err != nil {
		return err
	}
	if x.Passkeys, err = access.Passkeys(ctx, v.Owner); err != nil {
		return err
	}
	if x.Sessions, err = access.Sessions(ctx, v.Owner); err != nil {
		return err
	}
	if x.Tokens, err = access.Tokens(ctx, v.Owner); err != nil {
		return err
	}
	x.Here = v.Passkeys(path)
	x.Values, x.Proof, x.Theme, x.Version, x.Now = settings.Read(v.Owner.Config), v.Proof(), v.Theme(), v.Version, v.Now()
	return v.Show(status, words.SettingsTitle, ui.Settings, page(&x))
}

func keepLook(v *site.Visit) error {
	v.KeepTheme(ui.ThemeOf(v.R.PostFormValue("theme")))
	return v.Done(path, words.ThemeKept)
}

// refused shows the page with an error that a form led to, and returns any other.
func refused(v *site.Visit, err error, x view) error {
	switch code := abi.CodeOf(err); code {
	case abi.CodeUsage, access.CodePasswordShort, access.CodePasswordWrong, access.CodeTooManyAttempts,
		access.CodePasskeyRefused, access.CodePasskeyKnown, access.CodePasskeysFull, access.CodePasskeyLast:
		return show(v, web.Status(code), x)
	}
	return err
}

func changePassword(v *site.Visit) error {
	next := v.R.PostFormValue("password")
	err := abi.NewError(abi.CodeUsage, words.NotTheSame, words.NotTheSameHint)
	if next != v.R.PostFormValue("again") {
		return refused(v, err, view{PasswordErr: err})
	}
	if err := access.ChangePassword(v.Context(), v.Owner, &v.Guard.Changes, v.Guard.From(v.R), v.R.PostFormValue("was"), next); err != nil {
		return refused(v, err, view{PasswordErr: err})
	}
	if mark, err := access.NewMark(v.Context(), v.Owner); err == nil { // without one it is a stranger's browser once it is signed out
		v.Guard.RememberMark(v.W, v.R, mark)
	}
	return v.Done(path, words.PasswordChanged)
}

func askToAdd(v *site.Visit) error {
	d, err := v.Device()
	if err != nil {
		return err
	}
	asked, err := access.AskToAdd(v.Context(), v.Owner, *d)
	return v.Ask(asked, err)
}

func addPasskey(v *site.Visit) error {
	d, err := v.Device()
	if err != nil {
		return err
	}
	if err := access.AddPasskey(v.Context(), v.Owner, *d, v.R.PostFormValue("name")); err != nil {
		return refused(v, err, view{PasskeyErr: err})
	}
	return v.Done(path, words.PasskeyAddedNow)
}

func removePasskey(v *site.Visit) error {
	if err := access.RemovePasskey(v.Context(), v.Owner, v.R.PostFormValue("passkey")); err != nil {
		return refused(v, err, view{PasskeyErr: err})
	}
	return v.Done(path, words.PasskeyRemoved)
}

func endSession(v *site.Visit) error {
	id := v.R.PostFormValue("session")
	if err := access.EndSession(v.Context(), v.Owner, id); err != nil {
		return err
	}
	if id == v.Caller.Actor.ID {
		v.Guard.Forget(v.W, v.R)
		return v.Done(site.PathSignIn, words.SignedOutNow)
	}
	return v.Done(path, words.SessionEnded)
}

func endOthers(v *site.Visit) error {
	if err := endOtherSessions(v.Context(), v.Owner); err != nil {
		return err
	}
	return v.Done(path, words.OthersEnded)
}

// endOtherSessions ends one session after the other: each has its audit event.
func endOtherSessions(ctx context.Context, o *owner.Owner) error {
	all, err := access.Sessions(ctx, o)
	for i := range all {
		if err == nil && !all[i].Current {
			err = access.EndSession(ctx, o, all[i].ID)
		}
		if abi.CodeOf(err) == access.CodeSessionUnknown {
			err = nil // it ended by itself
		}
	}
	return err
}

// lives are the lives of tokens that the form offers, in days.
var lives = []int{7, 30, 90, 365}

func createToken(v *site.Visit) error {
	n := access.NewToken{Name: v.R.PostFormValue("name"), Scope: access.Scope(v.R.PostFormValue("scope"))}
	for _, days := range lives {
		if v.R.PostFormValue("days") == itoa(days) {
			n.Expires = time.Duration(days) * 24 * time.Hour
		}
	}
	made, err := access.CreateToken(v.Context(), v.Owner, n)
	if err != nil {
		return refused(v, err, view{TokenErr: err, Token: n})
	}
	return v.Show(http.StatusOK, words.TokenMadeTitle, ui.Settings, madePage(made))
}

func revokeToken(v *site.Visit) error {
	if err := access.RevokeToken(v.Context(), v.Owner, v.R.PostFormValue("token")); err != nil {
		return err
	}
	return v.Done(path, words.TokenRevoked)
}
