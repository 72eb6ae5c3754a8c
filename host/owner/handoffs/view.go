package handoffs

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// View shows a page to the browser that holds the token, which is used up by it: write gets a
// kind, 'J' for a picture as JPEG or 'S' for the state as JSON, and the bytes, which it does not
// keep. It returns when the hand-off is over, another view takes its place, write fails or
// ctx ends.
func View(ctx context.Context, o *owner.Owner, id, token string, write func(kind byte, body []byte) error) error {
	if err := seated(o); err != nil {
		return err
	}
	r, err := registry(o)
	if err != nil {
		return err
	}
	return r.View(ctx, id, o.Actor.ID, token, write)
}
