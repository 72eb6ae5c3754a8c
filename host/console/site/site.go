package site

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// The addresses that visits are sent to.
const (
	PathOverview = "/"
	PathSignIn   = "/sign-in"
	PathSetUp    = "/set-up"
)

// SetUpAddress is the set-up link of a code, at an origin.
func SetUpAddress(origin, code string) string {
	return origin + PathSetUp + "?code=" + url.QueryEscape(code)
}

// mostForm bounds a form, in bytes.
const mostForm = 1 << 20

// Site is what all pages share. It is safe for concurrent use.
type Site struct {
	Guard   *web.Guard
	Now     func() time.Time
	Logger  *slog.Logger
	Version string
	// Server makes the runs that pages begin and end.
	Server *serving.Server
	// Asked returns what runs ask their owner now: that run, or any where runID is "". nil:
	// none ever does.
	Asked func(ctx context.Context, o *owner.Owner, runID string) ([]ui.Question, error)
	// Waiting returns how many questions wait for an answer; nil: none ever does.
	Waiting func(ctx context.Context, o *owner.Owner) (int, error)
}

// Visit is one request of a page.
type Visit struct {
	*Site

	W      http.ResponseWriter
	R      *http.Request
	Owner  *owner.Owner
	Caller *access.Caller // nil: a visitor
	// Uncompressed is set by a page that shows a secret beside text that somebody else chose:
	// the length of a compressed answer would tell of it.
	Uncompressed bool
	// Away is where the browser goes from a page by itself; "": it stays.
	Away string

	body io.ReadCloser // as it comes, for Upload
}

// Context is the request's.
func (v *Visit) Context() context.Context { return v.R.Context() }

// Anybody answers a request whoever asks.
func (s *Site) Anybody(page func(*Visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visit{Site: s, W: w, R: r, Owner: s.Guard.Owner(r), Caller: web.CallerOf(r.Context()), body: r.Body}
		if r.Body != nil {
			r.Body = http.MaxBytesReader(w, r.Body, mostForm)
		}
		if v.Caller != nil && v.Caller.Actor.Face != owner.BrowserSession {
			v.Caller = nil // a token is for the API, and opens no page
		}
		defer web.Recover(s.Logger, r.Pattern, "", func() {
			if w.Header().Get("Content-Type") != "" { // an answer that has begun is cut off
				panic(http.ErrAbortHandler)
			}
			v.fail(abi.NewError(abi.CodeInternal, "a page panicked", ""))
		})
		if err := page(v); err != nil {
			v.fail(err)
		}
	})
}

// Signed answers a request of the owner's browser. A visitor is sent to sign in, and comes
// back; a host whose owner has not chosen a password says how that is done.
func (s *Site) Signed(page func(*Visit) error) http.Handler {
	return s.Anybody(func(v *Visit) error {
		if v.Caller != nil {
			return v.askProof(page(v))
		}
		claimed, err := access.Claimed(v.Context(), v.Owner)
		if err != nil {
			return err
		}
		if !claimed {
			return v.To(PathSetUp)
		}
		if v.R.Method != http.MethodGet && v.R.Method != http.MethodHead {
			return abi.NewError(access.CodeSignedOut, words.SignedOut, words.SignInAndRepeat)
		}
		return v.To(PathSignIn + "?next=" + url.QueryEscape(v.R.URL.RequestURI()))
	})
}

// Show answers with a page. Current is the entry of the navigation that it belongs to.
func (v *Visit) Show(status int, title string, current ui.Place, body templ.Component) error {
	f, err := v.frame(title, current)
	if err != nil {
		return err
	}
	return v.write(status, ui.Page(f, body))
}

// Part answers with a piece of a page, which a script puts in its place.
func (v *Visit) Part(body templ.Component) error { return v.write(http.StatusOK, body) }

// write renders before it answers, so that a failure leaves no half a page.
func (v *Visit) write(status int, c templ.Component) error {
	var b bytes.Buffer
	if err := c.Render(v.Context(), &b); err != nil {
		return err
	}
	h := v.W.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusTooManyRequests {
		h.Set("Retry-After", "30")
	}
	body := b.Bytes()
	if zipped := v.zip(body); zipped != nil {
		h.Set("Content-Encoding", "gzip")
		body = zipped
	}
	h.Add("Vary", "Accept-Encoding")
	v.W.WriteHeader(status)
	_, _ = v.W.Write(body) // the browser went away
	return nil
}

func (v *Visit) frame(title string, current ui.Place) (ui.Frame, error) {
	f := ui.Frame{Title: title, Current: current, Version: v.Version, Notice: words.Notice(v.R.URL.Query().Get("done"))}
	f.Theme, f.Away = v.Theme(), v.Away
	if v.Caller == nil {
		return f, nil
	}
	f.SignedIn, f.Proof = true, v.Proof()
	if v.Waiting != nil {
		n, err := v.Waiting(v.Context(), v.Owner)
		if err != nil {
			return f, err
		}
		f.Questions = n
	}
	return f, nil
}

// themeCookie keeps the look that a browser's user chose.
const themeCookie = "pdpp-theme"

// Theme returns the look that the browser's user chose.
func (v *Visit) Theme() ui.Theme {
	c, err := v.R.Cookie(themeCookie)
	if err != nil {
		return ui.ThemeAuto
	}
	return ui.ThemeOf(c.Value)
}

// KeepTheme has the browser keep a look.
func (v *Visit) KeepTheme(theme ui.Theme) {
	http.SetCookie(v.W, &http.Cookie{ //nolint:gosec // Secure wherever the browser speaks TLS
		Name: themeCookie, Value: string(theme), Path: "/", MaxAge: 400 * 24 * 60 * 60, HttpOnly: true, Secure: v.Guard.Secure(v.R), SameSite: http.SameSiteStrictMode,
	})
}

// Proof is what a form carries (see web.CheckChange).
func (v *Visit) Proof() string { return web.MaskedProof(v.Caller, v.Owner.Random) }

// To sends the browser to another page of this host.
func (v *Visit) To(path string) error {
	http.Redirect(v.W, v.R, Local(path), http.StatusSeeOther)
	return nil
}

// Done sends the browser to a page that says what was done.
func (v *Visit) Done(path string, what words.Key) error {
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return v.To(path + mark + "done=" + string(what))
}

// Local returns a path of this host, or that of the overview for anything else.
func Local(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return PathOverview
	}
	return path
}

// NotFound says that an address leads to no page.
func NotFound() error {
	return abi.NewError(web.CodeNotFound, words.NoSuchPage, words.NoSuchPageHint)
}

// Refuse answers what the guard lets nobody see.
func (s *Site) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	(&Visit{Site: s, W: w, R: r, Owner: s.Guard.Owner(r)}).fail(err)
}

// fail answers with the page of an error: its message and its advice, and nothing that it
// wraps.
func (v *Visit) fail(err error) {
	if v.Context().Err() != nil {
		return // nobody reads it
	}
	e := &abi.Error{Code: abi.CodeInternal, Message: words.Broken, Hint: words.BrokenHint}
	if known := (*abi.Error)(nil); errors.As(err, &known) && known.Code != abi.CodeInternal {
		e = known
	} else {
		v.Logger.Error("a page failed", "path", v.R.URL.Path, "code", string(abi.CodeOf(err)))
	}
	status := web.Status(e.Code)
	f, ferr := v.frame(words.Trouble, "")
	if ferr != nil {
		f = ui.Frame{Title: words.Trouble}
	}
	if werr := v.write(status, ui.Page(f, ui.Problem(e.Message, words.Advice(e.Code, e.Hint), string(e.Code)))); werr != nil {
		http.Error(v.W, words.Broken, http.StatusInternalServerError)
	}
}
