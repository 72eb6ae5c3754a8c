package ownerapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/handed"
)

// canary is typed, titled and addressed, and is in no log and no event.
const canary = "hunter2canary"

// handover is a page that a run has handed over, behind the API that a host serves.
type handover struct {
	*watched

	surface *handed.Surface
	page    *handoff.Handoff
	client  *http.Client
}

// seat is a browser of the owner's.
type seat struct {
	*handover

	cookie string
}

func newHandover(t *testing.T) *handover {
	t.Helper()
	w := newWatched(t)
	o := &handover{watched: w, surface: handed.New("accounts.shop.example", canary)}
	o.surface.Change(func(s *handoff.State) { s.Refused = []string{"captcha.example"} })
	w.owner.Handoffs = handoff.New(time.Now, rand.Reader)
	o.page = w.owner.Handoffs.Open(handoff.Opening{
		ID: "q_1", Connection: "mine", RunID: "run_1", Reason: "login", Deadline: time.Now().Add(time.Hour),
	}, o.surface)
	dial := func(context.Context, string, string) (net.Conn, error) { return w.pipes.Dial(), nil }
	o.client = &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	t.Cleanup(func() { o.page.End(handoff.OutcomeCancelled) })
	return o
}

// sits returns a browser in which the owner is signed in.
func (o *handover) sits(id string) seat {
	o.Helper()
	sum := sha256.Sum256([]byte("secret of " + id))
	_, err := o.store.OpenSession(o.Context(), "", storage.Session{ID: id, SHA256: fmt.Sprintf("%x", sum)}, time.Time{}, time.Time{})
	o.ok(err)
	return seat{o, "pdpp-8377=secret of " + id}
}

// sent is what an owner's page was answered.
type sent struct {
	status int
	header http.Header
	body   io.ReadCloser
}

// post asks as the owner's page does, with the headers that a test changes.
func (s seat) post(path, body string, header ...string) sent {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+at+"/v1/owner/handoffs/q_1"+path, strings.NewReader(body))
	s.ok(err)
	for i, all := 0, append([]string{"Cookie", s.cookie, "Sec-Fetch-Site", "same-origin", "Content-Type", "application/json"}, header...); i < len(all); i += 2 {
		if r.Header.Set(all[i], all[i+1]); all[i+1] == "" {
			r.Header.Del(all[i])
		}
	}
	res, err := s.client.Do(r)
	s.ok(err)
	s.Cleanup(func() { _ = res.Body.Close() })
	return sent{res.StatusCode, res.Header, res.Body}
}

// says is the status and the code of an answer.
func (s seat) says(path, body string, header ...string) string {
	s.Helper()
	res := s.post(path, body, header...)
	text, _ := io.ReadAll(res.body)
	_ = res.body.Close()
	return strings.TrimSpace(fmt.Sprint(res.status, " ", answer{body: string(text)}.code()))
}

func (s seat) attach() (token string) {
	s.Helper()
	res := s.post("/attach", "")
	var a handoffs.Attached
	if err := json.NewDecoder(res.body).Decode(&a); err != nil || res.status != http.StatusOK || len(a.Token) < 32 {
		s.Fatalf("attaching: got %d and %v, want a token", res.status, err)
	}
	return a.Token
}

// opens returns what a browser sees of the page, and the token that it acts by.
func (s seat) opens() (view io.Reader, token string) {
	s.Helper()
	token = s.attach()
	res := s.post("/view", "", "Authorization", "Handoff "+token)
	if res.status != http.StatusOK || res.header.Get("Content-Type") != mediaFrames {
		s.Fatalf("the view: got %d of %q, want frames", res.status, res.header.Get("Content-Type"))
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Set-Cookie": ""} {
		if got := res.header.Get(name); got != want {
			s.Errorf("the view: got %s %q, want %q", name, got, want)
		}
	}
	return res.body, token
}

// frame reads one frame; kind 0: there is none any more.
func frame(view io.Reader) (kind byte, body []byte) {
	var head [5]byte
	if _, err := io.ReadFull(view, head[:]); err != nil {
		return 0, nil
	}
	body = make([]byte, binary.BigEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(view, body); err != nil {
		return 0, nil
	}
	return head[0], body
}

// ends reads a view to its end, and returns how that was said; "": it was not.
func ends(view io.Reader) (how string) {
	for {
		kind, body := frame(view)
		var s handoff.StateFrame
		if kind == 0 {
			return how
		}
		if kind == handoff.FrameState && json.Unmarshal(body, &s) == nil {
			how = s.Ended
		}
	}
}

func handedOver(t *testing.T, test func(o *handover)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newHandover(t)) })
}

// T14, BR-15: an owner opens a page, sees its newest picture and acts on it. Another view of the
// same browser takes over, and the first is told; another browser is refused until nobody sits there.
func TestAPageHasOneViewer(t *testing.T) {
	t.Parallel()
	handedOver(t, func(o *handover) {
		first, other := o.sits("s_first"), o.sits("s_other")
		o.surface.Show([]byte("a picture"))
		view, token := first.opens()
		kind, body := frame(view)
		var state handoff.StateFrame
		if err := json.Unmarshal(body, &state); kind != 'S' || err != nil || state.Host != "accounts.shop.example" || state.Ended != "" {
			o.Errorf("the first frame: got %c %s, want the state", kind, body)
		}
		if kind, body = frame(view); kind != 'J' || string(body) != "a picture" {
			o.Errorf("the second frame: got %c %q, want the picture", kind, body)
		}
		act := []string{"Authorization", "Handoff " + token}
		if got := first.says("/input", `[{"do":"text","text":"`+canary+`"},{"do":"key_down","key":"Enter"}]`, act...); got != "200" {
			o.Errorf("acting: got %s, want 200", got)
		}
		if got := o.surface.Events(); len(got) != 2 || got[0].Text != canary || got[1].Key != "Enter" {
			o.Errorf("got %d events on the page, want the text and the key", len(got))
		}
		if got := other.says("/attach", ""); got != "409 handoff.taken" {
			o.Errorf("another browser: got %s, want 409 handoff.taken", got)
		}
		again, _ := first.opens()
		if got := ends(view); got != handoff.TakenOver {
			o.Errorf("the first view ends with %q, want %q", got, handoff.TakenOver)
		}
		if got := first.says("/input", `[{"do":"back"}]`, act...); got != "403 handoff.token_invalid" {
			o.Errorf("acting by the first view's token: got %s, want 403 handoff.token_invalid", got)
		}
		o.surface.End(handoff.OutcomeDone)
		if got := ends(again); got != handoff.OutcomeDone {
			o.Errorf("the second view ends with %q, want %q", got, handoff.OutcomeDone)
		}
		if got := other.says("/attach", ""); got != "410 handoff.ended" {
			o.Errorf("opening it then: got %s, want 410 handoff.ended", got)
		}
		o.want("what became of it", o.asks(read, "GET", "/v1/owner/handoffs/q_1", ""), 200, "")
		if got := o.asks(read, "GET", "/v1/owner/handoffs/q_1", "").member("outcome"); got != `"done"` {
			o.Errorf("the outcome: got %s, want done", got)
		}
	})
}

// T14, BR-15, OC-05: the right to look on is for one browser, once and for a minute; it comes in a
// header, from the host's own page, and never in the clear from another machine.
func TestTheRightToAPage(t *testing.T) {
	t.Parallel()
	handedOver(t, func(o *handover) {
		mine, other := o.sits("s_mine"), o.sits("s_other")
		used := mine.attach()
		view := mine.post("/view", "", "Authorization", "Handoff "+used)
		if kind, _ := frame(view.body); kind != 'S' {
			o.Fatalf("the view: got %c, want a state", kind)
		}
		refuses := func(name, want, path, body string, by seat, header ...string) {
			o.Helper()
			if got := by.says(path, body, header...); got != want {
				o.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
		const back, bad = `[{"do":"back"}]`, "403 handoff.token_invalid"
		refuses("a token that is used", bad, "/view", "", mine, "Authorization", "Handoff "+used)
		refuses("a token of another browser", bad, "/input", back, other, "Authorization", "Handoff "+used)
		refuses("a view by a token of another browser", bad, "/view", "", other, "Authorization", "Handoff "+used)
		refuses("no token", bad, "/input", back, mine)
		refuses("a wrong token", bad, "/input", back, mine, "Authorization", "Handoff "+strings.Repeat("0", 64))
		refuses("another scheme", bad, "/input", back, mine, "Authorization", "Basic "+used)
		refuses("a token in the address", "400 invalid_request", "/input?token="+used, back, mine)
		refuses("a token in a cookie", bad, "/input", back, seat{o, mine.cookie + "; handoff=" + used})
		bearer := "Bearer " + o.tokens[manage]
		for _, path := range []string{"/attach", "/view", "/input"} {
			refuses("a program with a cookie: "+path, "403 handoff.session_needed", path, back, mine, "Authorization", bearer)
			refuses("a program: "+path, "403 handoff.session_needed", path, back, seat{o, "none=1"}, "Authorization", bearer)
			refuses("a visitor: "+path, "401 owner.signed_out", path, back, seat{o, "none=1"}, "Authorization", "Handoff "+used)
			refuses("another site: "+path, "403 web.foreign_request", path, back, mine, "Authorization", "Handoff "+used, "Sec-Fetch-Site", "cross-site")
			refuses("a form of another site: "+path, "403 web.foreign_request", path, "do=back", mine, "Authorization", "Handoff "+used, "Sec-Fetch-Site", "", "Content-Type", "application/x-www-form-urlencoded")
			refuses("another machine: "+path, "403 "+string(web.CodeInTheClear), path, back, mine, "Authorization", "Handoff "+used, "X-From", "192.0.2.7:5")
			refuses("a name of somebody else's: "+path, "421 web.unknown_host", path, back, mine, "Authorization", "Handoff "+used, "X-Name", "evil.example")
		}
		if got := o.surface.Events(); len(got) != 0 {
			o.Errorf("got %d events on the page, want none of those that were refused", len(got))
		}
		old := mine.attach() // the view so far ends
		time.Sleep(time.Minute + time.Second)
		refuses("a token that is too old", bad, "/view", "", mine, "Authorization", "Handoff "+old)
		if got := mine.says("/attach", "", "Idempotency-Key", "k"); got != "400 invalid_request" {
			o.Errorf("a request that may come again: got %s, want 400 invalid_request", got)
		}
	})
}

// T14, BR-15: more than a hand does is refused, until it comes as slowly as a hand.
func TestTenThousandEvents(t *testing.T) {
	t.Parallel()
	handedOver(t, func(o *handover) {
		s := o.sits("s_fast")
		view, token := s.opens()
		go ends(view)
		one := `{"do":"move","x":1,"y":1}`
		batch := "[" + strings.Repeat(one+",", handoff.MostEvents-1) + one + "]"
		began, said := time.Now(), map[string]int{}
		for range 10_000/handoff.MostEvents + 1 {
			said[s.says("/input", batch, "Authorization", "Handoff "+token)]++
		}
		most := handoff.MostEvents + int(time.Since(began).Seconds()*handoff.MostRate)
		if got := len(o.surface.Events()); got > most || said["200"] == 0 || said["429 handoff.too_fast"] < 100 {
			o.Errorf("got %d events on the page and the answers %v, want at most %d, and the others refused", got, said, most)
		}
		time.Sleep(2 * time.Second)
		if got := s.says("/input", batch, "Authorization", "Handoff "+token); got != "200" {
			o.Errorf("two seconds later: got %s, want 200", got)
		}
	})
}

// BR-15: a batch is read strictly, within 8 KiB, or not at all.
func TestInputIsReadStrictly(t *testing.T) {
	t.Parallel()
	handedOver(t, func(o *handover) {
		s := o.sits("s_strict")
		view, token := s.opens()
		go ends(view)
		auth := "Handoff " + token
		for body, want := range map[string]string{
			`[{"do":"text","text":"` + strings.Repeat("x", 8<<10) + `"}]`:                 "413 too_large",
			"[" + strings.Repeat(`{"do":"back"},`, handoff.MostEvents) + `{"do":"back"}]`: "422 handoff.input_invalid",
			`{"do":"back"}`: "422 handoff.input_invalid",
			`[{"do":"back"`: "422 handoff.input_invalid",
			`[{"do":"open","url":"https://evil.example/"}]`: "422 handoff.input_invalid",
			`[{"do":"back","x":1}]`:                         "422 handoff.input_invalid",
			`[{"do":"down","x":-1,"y":1}]`:                  "422 handoff.input_invalid",
			`[{"do":"down","x":1e9,"y":1}]`:                 "422 handoff.input_invalid",
			`[{"do":"key_down","key":"F12"}]`:               "422 handoff.input_invalid",
			`[{"do":"key_down","key":"p","ctrl":true}]`:     "422 handoff.input_invalid",
			`[{"do":"viewport","viewport":"9999x9999"}]`:    "422 handoff.input_invalid",
			`[{"do":"allow","host":"never.example"}]`:       "422 handoff.input_invalid",
			``: "422 handoff.input_invalid",
		} {
			if got := s.says("/input", body, "Authorization", auth); got != want {
				o.Errorf("%.60s: got %s, want %s", body, got, want)
			}
		}
		if got := s.says("/input", `[{"do":"back"}]`, "Authorization", auth, "Content-Type", "text/plain"); got != "415 unsupported_media_type" {
			o.Errorf("another type: got %s, want 415 unsupported_media_type", got)
		}
		conn := o.pipes.Dial() // half a batch, and the end of it
		head := "POST /v1/owner/handoffs/q_1/input HTTP/1.1\r\nHost: " + at + "\r\nCookie: " + s.cookie + "\r\nSec-Fetch-Site: same-origin\r\nAuthorization: " + auth + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
		_, err := io.WriteString(conn, head+`[{"do":"back"}]`)
		o.ok(err)
		o.ok(conn.Close())
		synctest.Wait()
		if got := o.surface.Events(); len(got) != 0 {
			o.Errorf("got %d events on the page, want none", len(got))
		}
	})
}

// T14, BR-15: a viewer that reads no more is dropped within the time of one frame, and takes
// nobody's place.
func TestASlowViewerIsDropped(t *testing.T) {
	t.Parallel()
	handedOver(t, func(o *handover) {
		slow, next := o.sits("s_slow"), o.sits("s_next")
		view, _ := slow.opens()
		frame(view)
		for range 3 {
			o.surface.Show(bytes.Repeat([]byte("x"), 1<<20))
		}
		time.Sleep(writeTime + 2*time.Second)
		if s, err := o.owner.Handoffs.Show("q_1"); err != nil || s.Watched {
			o.Errorf("got somebody who looks on, %v, want nobody", err)
		}
		time.Sleep(15 * time.Second) // the place is kept for who comes back
		if got := next.says("/attach", ""); got != "200" {
			o.Errorf("the next browser: got %s, want 200", got)
		}
	})
}

// BR-15, OC-04: a view ends with its session, at once, and with its host.
func TestAViewEndsWithItsSessionAndItsHost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*handover){
		"the session ends": func(o *handover) {
			o.ok(access.EndSession(o.Context(), o.owner, "s_mine"))
			o.change()
		},
		"the host stops": func(o *handover) { o.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handedOver(t, func(o *handover) {
				s := o.sits("s_mine")
				view, token := s.opens()
				frame(view)
				began := time.Now()
				end(o)
				if got := ends(view); got != "" || time.Since(began) > time.Second {
					o.Errorf("got the end %q after %v, want it within a second, and the hand-off to go on", got, time.Since(began))
				}
				if _, err := o.owner.Handoffs.Attach("q_1", "s_mine"); err != nil {
					o.Errorf("the hand-off: got %v, want it open", err)
				}
				if name == "the session ends" {
					if got := s.says("/input", `[{"do":"back"}]`, "Authorization", "Handoff "+token); got != "401 owner.signed_out" {
						o.Errorf("acting then: got %s, want 401 owner.signed_out", got)
					}
				}
			})
		})
	}
}

// BR-15 (7.8), OC-02: opening a page and allowing a host leave audit events, acting leaves none, and
// nothing that was shown or typed is in an event or a log of any level.
func TestNothingIsKeptOfAPage(t *testing.T) {
	t.Parallel()
	handedOver(t, func(o *handover) {
		s, other := o.sits("s_mine"), o.sits("s_other")
		o.surface.Show([]byte("JPEG " + canary))
		view, token := s.opens()
		frame(view)
		frame(view)
		auth := []string{"Authorization", "Handoff " + token}
		for _, body := range []string{
			`[{"do":"text","text":"` + canary + `"}]`, `[{"do":"paste","text":"` + canary + `"}]`, `[{"do":"text","` + canary + `":1}]`, `[{"do":"` + canary + `"}]`, canary,
			`[{"do":"allow","host":"` + canary + `.example"}]`,
		} {
			s.says("/input", body, auth...)
		}
		other.says("/attach", "")
		other.says("/input?token="+token, `[{"do":"back"}]`)
		if got := s.says("/input", `[{"do":"allow","host":"captcha.example"}]`, auth...); got != "200" {
			o.Errorf("allowing a host that was refused: got %s, want 200", got)
		}
		page, err := o.owner.AuditEvents(o.Context(), owner.AuditQuery{Limit: 100})
		o.ok(err)
		var events []string
		for _, e := range page.Events {
			if strings.HasPrefix(e.Operation, "handoffs.") {
				events = append(events, strings.Join([]string{e.Operation, e.Subject, e.Outcome, e.Actor, e.ActorID}, " "))
			}
		}
		want := []string{"handoffs.allow mine captcha.example done session s_mine", "handoffs.attach mine q_1 handoff.taken session s_other", "handoffs.attach mine q_1 done session s_mine"}
		if strings.Join(events, "\n") != strings.Join(want, "\n") {
			o.Errorf("got the events\n%s\nwant\n%s", strings.Join(events, "\n"), strings.Join(want, "\n"))
		}
		log := o.log.String() + fmt.Sprint(page.Events)
		for name, secret := range map[string]string{"what was typed": canary, "the token": token, "the session": "secret of"} {
			if strings.Contains(log, secret) {
				o.Errorf("%s is in a log or an event, want it nowhere:\n%s", name, log)
			}
		}
		if !strings.Contains(log, "handoff.input_invalid") {
			o.Error("the log has no refusal, want the codes of those that there were: else nothing was looked at")
		}
	})
}
