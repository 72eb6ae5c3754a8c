package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/SherClockHolmes/webpush-go"
)

// pushLives is how long a push service keeps a notification for a browser that is away, in
// seconds.
const pushLives = 24 * 60 * 60

// PushKey is the key of this host that push services know it by (VAPID).
type PushKey struct {
	Public  string // as a browser takes it to subscribe
	Private string
	Contact string // an address of the host's own, as push services ask for
}

// NewPushKey makes a key.
func NewPushKey() (*PushKey, error) {
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		return nil, err
	}
	return &PushKey{Public: public, Private: private}, nil
}

// pushed is what a browser gets: encrypted for it alone.
type pushed struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Tag   string `json:"tag"`
}

func (s *Sender) push(ctx context.Context, p *Push, n Notification) error {
	if s.PushKey == nil {
		return invalid("this host has no key for Web Push", "subscribe again")
	}
	text, err := json.Marshal(pushed{n.Title, n.Body, n.ID})
	if err != nil {
		return err
	}
	through := &client{s: s}
	contact := s.PushKey.Contact
	if contact == "" {
		contact = "https://localhost"
	}
	resp, err := webpush.SendNotificationWithContext(ctx, text, &webpush.Subscription{Endpoint: p.Endpoint, Keys: webpush.Keys{P256dh: p.P256DH, Auth: p.Auth}}, &webpush.Options{
		HTTPClient: through, Subscriber: contact, VAPIDPublicKey: s.PushKey.Public, VAPIDPrivateKey: s.PushKey.Private, TTL: pushLives, Urgency: webpush.UrgencyHigh,
	})
	if resp != nil {
		_ = resp.Body.Close()
	}
	switch {
	case through.err != nil:
		return through.err
	case err != nil: // its text may quote the subscription
		return invalid("it is no browser's subscription", "subscribe again")
	}
	return nil
}

// client makes the request of the library behind the wall.
type client struct {
	s   *Sender
	err error
}

// Do implements webpush.HTTPClient.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	c.err = c.s.do(req)
	return &http.Response{StatusCode: http.StatusCreated, Body: io.NopCloser(bytes.NewReader(nil))}, c.err
}
