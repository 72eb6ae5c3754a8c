package running

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Captured is what is kept of the pages of a connection's browser.
type Captured struct {
	Connection string                 `json:"connection"`
	Captures   []owner.BrowserCapture `json:"captures"`
}

// Captures lists what was captured of a connection's pages in the last seven days.
func Captures(ctx context.Context, o *owner.Owner, name string) (*Captured, error) {
	conn, err := browses(ctx, o, name)
	if err != nil {
		return nil, err
	}
	all, err := o.Browser.Captures(conn.Connector, conn.ID)
	return &Captured{conn.Name, append([]owner.BrowserCapture{}, all...)}, err
}

// browses finds a connection whose connector uses a browser.
func browses(ctx context.Context, o *owner.Owner, name string) (*storage.Connection, error) {
	_, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	if m := modules.Pinned(conn); o.Browser == nil || m != nil && m.Requirements.Browser == nil {
		return nil, browsesNot(conn, "it has no pages to capture; what it did: pdpp-host runs list "+words.Quoted(conn.Name))
	}
	return conn, nil
}
