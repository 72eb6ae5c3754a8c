package sites

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	hostowner "github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/host/replay"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// note is what the owner types into a page.
const note = "canary-nobody-reads-this"

// viewer is an owner who looks at a page and acts there.
type viewer struct {
	t        *testing.T
	registry *handoff.Registry
	id       string
	token    string
	gone     chan struct{} // closed when the view has ended

	lock   sync.Mutex
	frames int
	bad    error // of the last frame that is no picture
	size   string
	states []handoff.StateFrame
	news   chan struct{} // holds one while there is something new
}

// looking waits for a page that is handed over, and looks at it.
func looking(t *testing.T, r *handoff.Registry) *viewer {
	t.Helper()
	v := &viewer{t: t, registry: r, gone: make(chan struct{}), news: make(chan struct{}, 1)}
	v.until("a page is handed over", func() bool {
		for _, s := range r.List() {
			v.id = s.ID
		}
		return v.id != ""
	})
	if v.id == "" {
		close(v.gone)
		return v
	}
	var err error
	if v.token, err = r.Attach(v.id, "ana"); err != nil {
		t.Errorf("attaching: got %v, want a token", err)
	}
	go func() {
		defer close(v.gone)
		if err := r.View(t.Context(), v.id, "ana", v.token, v.take); err != nil {
			t.Errorf("got the view ended by %v, want its end told", err)
		}
	}()
	return v
}

func (v *viewer) take(kind byte, body []byte) error {
	v.lock.Lock()
	defer v.lock.Unlock()
	if kind == handoff.FrameState {
		var s handoff.StateFrame
		err := json.Unmarshal(body, &s)
		v.states = append(v.states, s)
		return err
	}
	v.frames++
	c, err := jpeg.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		v.bad = err
	}
	v.size = fmt.Sprintf("%dx%d", c.Width, c.Height)
	select {
	case v.news <- struct{}{}:
	default:
	}
	return nil
}

// until waits until something is so.
func (v *viewer) until(what string, so func() bool) {
	v.t.Helper()
	look, late := time.NewTicker(20*time.Millisecond), time.After(2*time.Minute)
	defer look.Stop()
	for !so() {
		select {
		case <-look.C:
		case <-late:
			v.t.Errorf("waited two minutes until %s", what)
			return
		}
	}
}

// do sends events as the viewer's script does.
func (v *viewer) do(batch string) {
	v.t.Helper()
	events, err := handoff.Decode([]byte(batch))
	if err == nil {
		err = v.registry.Input(v.t.Context(), v.id, "ana", v.token, events)
	}
	if err != nil {
		v.t.Errorf("%s: got %v, want it carried out", batch, err)
	}
}

// last is what the viewer was told last.
func (v *viewer) last() (s handoff.StateFrame, frames int) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if len(v.states) > 0 {
		s = v.states[len(v.states)-1]
	}
	return s, v.frames
}

// parked has the world's runs ask as those of serve do.
func (w *world) parked(t *testing.T, r *handoff.Registry) {
	t.Helper()
	log, err := os.Create(filepath.Join(w.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o := hostowner.New(hostowner.Deps{
		Now: time.Now, Random: rand.Reader, Logger: logger, Handoffs: r, Open: func(context.Context) (*storage.Store, error) { return w.store, nil },
	})
	parked := questions.Park(o, w.store, nil)
	w.asker = parked
	recorder, err := replay.Create(filepath.Join(w.dir, "tape"), replay.Options{Mode: abi.ModeIncremental, Start: time.Now().Truncate(time.Second), Paced: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := recorder.Close(); err != nil {
			t.Errorf("closing the tape: %v", err)
		}
	})
	w.change = func(d *run.Deps) { d.Began, d.Logger, d.Collect = parked.Began, logger, recorder.Collect }
}

// T2: a button that is held for three seconds is held by the owner, who sees the page and acts on
// it with events that the page trusts. The run goes on. Meanwhile the connector does nothing
// there, and a watchdog of four seconds does not end a hand-off of ten (BR-15, RT-15.3). No
// event, log, record, tape or profile has what the owner types (section 7.8).
func TestHandOff(t *testing.T) {
	t.Parallel()
	shop := &Shop{Username: "ana", Password: password, Hold: true, Orders: 2}
	site := Serve(shop)
	t.Cleanup(site.Close)
	w := newWorld(t, site)
	registry := handoff.New(time.Now, rand.Reader)
	w.secrets, w.limit = map[string]string{"username": "ana", "password": password}, 4*time.Second
	w.parked(t, registry)

	var acted sync.WaitGroup
	acted.Go(func() {
		v := looking(t, registry)
		began := time.Now()
		v.until("a picture is there", func() bool { _, n := v.last(); return n > 0 })
		shown, err := registry.Show(v.id)
		if err != nil || !shown.Watched || shown.Host != accountsHost || shown.Reason != abi.HandoffCaptcha || shown.Connection != "example_shop" || shown.Deadline.IsZero() {
			t.Errorf("got %+v, %v, want the shop's page", shown, err)
		}
		refused := make(chan []byte, 2)
		for _, op := range []string{`{"do":"content"}`, `{"do":"session","names":["sid"]}`} {
			if err := w.browsing.Do([]byte(op), func(answer []byte) { refused <- answer }); err != nil {
				t.Errorf("%s: got %v, want an answer", op, err)
				return // since the run is over
			}
			if got := <-refused; !bytes.Contains(got, []byte(abi.CodeBrowserHandedOver)) {
				t.Errorf("%s: got %.200s, want %s", op, got, abi.CodeBrowserHandedOver)
			}
		}
		v.do(`[{"do":"down","x":200,"y":240},{"do":"up","x":200,"y":240},{"do":"text","text":"` + note + `"}]`)
		_, before := v.last()
		v.do(`[{"do":"move","x":200,"y":140},{"do":"down","x":200,"y":140}]`)
		v.until("the button is drawn anew", func() bool { _, n := v.last(); return n > before })
		v.until("ten seconds have passed", func() bool { return time.Since(began) > 10*time.Second })
		v.do(`[{"do":"up","x":200,"y":140}]`)
		<-v.gone
		if s, _ := v.last(); s.Ended != handoff.OutcomeDone || v.bad != nil || v.size != "1280x720" {
			t.Errorf("got the end %q, %v, pictures of %s, want it done, and 1280x720", s.Ended, v.bad, v.size)
		}
	})
	res := w.collect()
	acted.Wait()
	if res.Status != run.StatusSucceeded || res.Records["orders"].Upserted != 2 {
		t.Fatalf("got %s %s %+v, records %+v, want two orders", res.Status, res.Reason, res.Error, res.Records)
	}
	if got := shop.Notes(); !slices.Equal(got, []string{note}) {
		t.Errorf("the shop got %q, want what the owner typed", got)
	}
	if shop.Tries() != 1 {
		t.Errorf("the shop saw the password %d times, want once", shop.Tries())
	}
	w.unseen(t, password, note)
}
