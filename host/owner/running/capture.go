package running

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// CapturedPage is what one page was made of.
type CapturedPage struct {
	Connection string `json:"connection"`
	Capture    string `json:"capture"`
	Text       string `json:"text"`
}

// Capture returns what was captured of a page, as Captures lists it.
func Capture(ctx context.Context, o *owner.Owner, name, id string) (*CapturedPage, error) {
	conn, err := browses(ctx, o, name)
	if err != nil {
		return nil, err
	}
	text, err := o.Browser.Capture(conn.Connector, conn.ID, id)
	if err != nil {
		return nil, err
	}
	return &CapturedPage{conn.Name, id, string(text)}, nil
}
