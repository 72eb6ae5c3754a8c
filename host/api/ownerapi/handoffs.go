package ownerapi

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
)

// mediaFrames is the type of what a view is answered with.
const mediaFrames = "application/vnd.pdpp.frames"

func (c *call) listHandoffs() (*wire.List[handoffs.Handoff], error) {
	all, err := handoffs.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "handoffs", all, func(h *handoffs.Handoff) string { return h.ID })
}

func (c *call) showHandoff() (*handoffs.Handoff, error) {
	return handoffs.Show(c.Context(), c.owner, c.handoff())
}

func (c *call) handoff() string { return c.r.PathValue("handoff") }

func (c *call) attach() (*handoffs.Attached, error) {
	return handoffs.Attach(c.Context(), c.owner, c.handoff())
}

// event is one of a batch, as the document describes it. host/browser/handoff says which
// members which event has.
type event struct {
	Do       string  `json:"do"`
	X        float64 `json:"x,omitempty"`
	Y        float64 `json:"y,omitempty"`
	DX       float64 `json:"dx,omitempty"`
	DY       float64 `json:"dy,omitempty"`
	Key      string  `json:"key,omitempty"`
	Shift    bool    `json:"shift,omitempty"`
	Ctrl     bool    `json:"ctrl,omitempty"`
	Meta     bool    `json:"meta,omitempty"`
	Text     string  `json:"text,omitempty"`
	Viewport string  `json:"viewport,omitempty"`
	Page     int     `json:"page,omitempty"`
	Host     string  `json:"host,omitempty"`
}

// acted names the page on which something was done.
type acted struct {
	ID string `json:"id"`
}

// act gives a page the batch as it came: nothing here reads what somebody typed.
func (c *call) act() (*acted, error) {
	return &acted{c.handoff()}, handoffs.Input(c.Context(), c.owner, c.handoff(), c.handoffToken(), c.body)
}

// handoffToken is what a browser shows of the right to look on; "": nothing. It comes in this
// header alone.
func (c *call) handoffToken() string {
	all := c.r.Header.Values("Authorization")
	if len(all) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(all[0], " ")
	if !strings.EqualFold(scheme, "Handoff") {
		return ""
	}
	return token
}

// view shows a page until that is over, its browser goes away, takes too long, or is signed out,
// and until the host stops. It returns an error only before the first frame.
func (c *call) view() error {
	watcher, err := c.Live.Watch(c.Context(), c.caller.Actor.ID, "")
	if errors.Is(err, live.ErrEnded) {
		return wire.Busy()
	}
	if err != nil {
		return err
	}
	defer watcher.Close()
	ctx, cancel := context.WithCancel(c.Context())
	asked, id, token, owner := c.r, c.handoff(), c.handoffToken(), c.owner
	var following sync.WaitGroup
	following.Go(func() {
		defer cancel()
		may := func() error { _, err := c.Guard.Browser(asked); return err }
		c.follow(ctx, watcher, may, func([]live.Event) error { return nil })
	})
	f := frames{w: c.w, control: http.NewResponseController(c.w)}
	err = handoffs.View(ctx, owner, id, token, f.write)
	cancel()
	following.Wait()
	if f.begun {
		return nil // the browser opens the page again, and is told why it cannot
	}
	return err
}

// frames writes what a page shows.
type frames struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// lengthBytes is how many bytes of a frame say how long the rest is.
const lengthBytes = 4

// write writes one frame at once, within writeTime.
func (f *frames) write(kind byte, body []byte) error {
	if err := f.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if !f.begun {
		if err := f.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		f.begun = true
		h := f.w.Header()
		h.Set("Content-Type", mediaFrames)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // of a proxy
		f.w.WriteHeader(http.StatusOK)
	}
	var head [1 + lengthBytes]byte
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(body))) //nolint:gosec // a picture, below 4 GiB
	if _, err := f.w.Write(head[:]); err != nil {
		return err
	}
	if _, err := f.w.Write(body); err != nil {
		return err
	}
	return f.control.Flush()
}
