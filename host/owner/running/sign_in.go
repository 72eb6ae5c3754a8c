package running

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// SignedIn is what came of a window in which an owner signed in.
type SignedIn struct {
	Connection string   `json:"connection"`
	Seconds    int64    `json:"seconds"`
	Cookies    int      `json:"cookies"`           // that the connector's sites have there, never what they are
	SignedIn   bool     `json:"signed_in"`         // the owner's word: what waited for her goes on with a run
	Refused    []string `json:"refused,omitempty"` // hosts that the pages asked for and did not get to
}

// SignIn shows the owner a window of the browser that a connection's runs use, at the page where
// its connector begins, until the owner closes it or ctx ends. Then the next run is signed in
// where the owner is. A site leaves cookies with anybody: whether she has signed in, and what waited
// for that goes on, is hers to say, with word.
func SignIn(ctx context.Context, o *owner.Owner, name string, word func(context.Context) bool) (done *SignedIn, err error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	done = &SignedIn{Connection: conn.Name}
	err = o.Audited(ctx, store, "connections.sign_in", conn.Name, func(ctx context.Context) (err error) {
		m := modules.Pinned(conn)
		switch {
		case m == nil: // its pages reach what an owner has agreed to
			return run.NotAccepted(conn.Connector, conn.Name, "")
		case o.Browser == nil || m.Requirements.Browser == nil:
			return browsesNot(conn, "what it signs in with: pdpp-host connections credential list "+words.Quoted(conn.Name))
		}
		if err := answersFirst(ctx, o, store, conn); err != nil {
			return err
		}
		sending, err := newSender(o.Config, o.Traffic, 0).Open(ctx, run.SendRun{Connection: conn, Manifest: m, Options: conn.Options})
		if err != nil {
			return err
		}
		defer sending.Close()
		began := o.Now()
		got, err := o.Browser.SignIn(ctx, run.BrowserRun{Connection: conn, Manifest: m, Sending: sending, Sealer: &sealer{&sealing{o.Browser, store, o.Vault}, conn.ID}})
		if err != nil {
			return err
		}
		done.Seconds, done.Cookies, done.Refused = int64(o.Now().Sub(began)/time.Second), got.Cookies, got.Refused
		if done.SignedIn = got.Cookies > 0 && word(ctx); !done.SignedIn {
			return nil
		}
		return schedule.SignedIn(context.WithoutCancel(ctx), store, conn.ID, o.Now())
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// answersFirst refuses a window while a run of the connection, here or in another process, has its
// browser and waits for the owner: nothing but the answer gives it back.
func answersFirst(ctx context.Context, o *owner.Owner, store *storage.Store, conn *storage.Connection) error {
	e, err := store.EvidenceOf(ctx, conn.ID)
	if err != nil {
		return err
	}
	f := e.Facts
	if !f.Running() || f.Surface == nil || f.Surface.Waits != "" || f.Asking == "" || !e.Moment(o.Now(), holder.Alive).RunAlive {
		return nil
	}
	return abi.NewError(abi.CodeBrowserProfileBusy, "a run of "+conn.Name+" has its browser open already, and waits for your answer",
		"answer that: pdpp-host questions show "+words.Quoted(conn.Name)+"; a page that it hands over is opened in the console")
}

// SignedOut is a connection whose sites know its owner no longer.
type SignedOut struct {
	Connection string `json:"connection"`
}

// SignOut removes what a connection's sites have left in its browser: its profile, and the
// session that is sealed beside it.
func SignOut(ctx context.Context, o *owner.Owner, name string) (*SignedOut, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return &SignedOut{conn.Name}, o.Audited(ctx, store, "connections.sign_out", conn.Name, func(ctx context.Context) error {
		if m := modules.Pinned(conn); o.Browser == nil || m != nil && m.Requirements.Browser == nil {
			return browsesNot(conn, "its sites keep nothing here; its credentials: pdpp-host connections credential list "+words.Quoted(conn.Name))
		}
		return o.Browser.Forget(ctx, conn.Connector, conn.ID)
	})
}

func browsesNot(conn *storage.Connection, hint string) error {
	return abi.NewError(abi.CodeUsage, "the connector "+conn.Connector+" uses no browser here", hint)
}
