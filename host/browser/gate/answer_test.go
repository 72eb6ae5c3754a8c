package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorded is a browser's end that grants every call, and keeps them.
type recorded struct {
	out    chan string
	closed chan struct{}
	once   sync.Once
	deaf   bool // it answers none from now on

	lock  sync.Mutex
	calls []string // method and parameters
}

func (r *recorded) Send(b []byte) error {
	var m struct {
		ID     int64           `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	r.lock.Lock()
	r.calls = append(r.calls, m.Method+" "+string(m.Params))
	deaf := r.deaf
	r.lock.Unlock()
	if deaf {
		return nil
	}
	r.out <- fmt.Sprintf(`{"id":%d,"result":{"targetInfos":[]}}`, m.ID)
	return nil
}

func (r *recorded) Read() ([]byte, error) {
	select {
	case m := <-r.out:
		return []byte(m), nil
	case <-r.closed:
		return nil, io.EOF
	}
}

func (r *recorded) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// about returns the calls about a request.
func (r *recorded) about(id string) (calls []string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, c := range r.calls {
		if strings.Contains(c, `"requestId":"`+id+`"`) {
			calls = append(calls, c)
		}
	}
	return calls
}

// byPath admits /yes, refuses /no, and holds /hold until its channel is closed.
type byPath struct{ hold chan struct{} }

func (a byPath) Admit(ctx context.Context, r Request, _ Send) error {
	switch {
	case strings.HasSuffix(r.URL, "/no"):
		return errors.New("the budget is used up")
	case strings.HasSuffix(r.URL, "/hold"):
		select {
		case <-a.hold:
		case <-ctx.Done():
		}
	}
	return nil
}

func shut(t *testing.T, a Admitter) (*Gate, *recorded, *wire.Line) {
	t.Helper()
	r := &recorded{out: make(chan string, 10000), closed: make(chan struct{})}
	line := wire.New(r, time.Minute)
	g := New(line, a, "name", "secret")
	if err := g.Shut(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g, r, line
}

func pause(r *recorded, id, address string) {
	r.out <- fmt.Sprintf(`{"method":"Fetch.requestPaused","params":{"requestId":%q,"request":{"method":"GET","url":%q},"resourceType":"XHR"}}`, id, address)
}

// Each pause is answered once, as the Admitter says; one that waits holds no other up, and is
// refused when the gate closes (BR-07).
func TestPausesAreAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := byPath{make(chan struct{})}
		g, r, line := shut(t, a)
		pause(r, "held", "https://shop.example/hold")
		pause(r, "yes", "https://shop.example/yes")
		pause(r, "no", "https://shop.example/no")
		pause(r, "file", "file:///etc/hostname")
		pause(r, "data", "data:text/html,x")
		synctest.Wait()
		for id, want := range map[string]string{
			"yes": "Fetch.continueRequest ", "no": "Fetch.failRequest ", "file": "Fetch.failRequest ", "data": "Fetch.continueRequest ", "held": "",
		} {
			got := r.about(id)
			if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
				t.Errorf("%s: got %v, want one %q", id, got, want)
			}
		}
		close(a.hold)
		synctest.Wait()
		if got := r.about("held"); len(got) != 1 || !strings.HasPrefix(got[0], "Fetch.continueRequest ") {
			t.Errorf("after its wait: got %v, want it continued", got)
		}
		g.Close()
		_ = line.Close()
	})
}

// sends is an Admitter that sends, and returns when its channel is closed.
type sends struct{ judged chan struct{} }

func (a sends) Admit(ctx context.Context, _ Request, send Send) error {
	_, err := send(ctx)
	<-a.judged
	return err
}

// A page reads an answer when the Admitter has judged it, so that a page that sees a refusal finds
// the governor's word on it (BR-07, Invariant 10). An answer that comes after that is the page's
// at once.
func TestAnswersAreJudgedBeforeThePageReadsThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := sends{make(chan struct{})}
		g, r, line := shut(t, a)
		answer := `{"method":"Fetch.requestPaused","params":{"requestId":"one","request":{"method":"GET","url":"https://shop.example/"},"resourceType":"XHR","responseStatusCode":429}}`
		pause(r, "one", "https://shop.example/")
		synctest.Wait()
		r.out <- answer
		synctest.Wait()
		if got := r.about("one"); len(got) != 1 {
			t.Errorf("while its answer is judged: got %v, want the request continued and its answer held", got)
		}
		close(a.judged)
		synctest.Wait()
		if got := r.about("one"); len(got) != 2 || !strings.HasPrefix(got[1], "Fetch.continueRequest ") {
			t.Errorf("when its answer is judged: got %v, want the answer continued", got)
		}
		r.out <- answer
		synctest.Wait()
		if got := r.about("one"); len(got) != 3 || len(g.sent) != 0 {
			t.Errorf("an answer that no Admitter waits for: got %v, want it continued at once", got)
		}
		g.Close()
		_ = line.Close()
	})
}

// BR-07.6: a browser that takes no answer to a request for 30 seconds is ended, with a reason that
// fails its run, and no request goes out without one.
func TestNoAnswerIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, r, line := shut(t, byPath{})
		r.lock.Lock()
		r.deaf = true
		r.lock.Unlock()
		began := time.Now()
		pause(r, "yes", "https://shop.example/yes")
		pause(r, "later", "https://shop.example/yes")
		<-line.Ended()
		if took := time.Since(began); abi.CodeOf(line.Err()) != abi.CodeBrowserUnstable || took > 30*time.Second {
			t.Errorf("got %v after %s, want %s within 30 s", line.Err(), took, abi.CodeBrowserUnstable)
		}
		g.Close()
		_ = line.Close()
	})
}

// A gate that closes lets nothing more out, whatever the Admitter says, and a page that asks for
// more than anybody waits for is refused beyond that.
func TestClosingRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, r, line := shut(t, byPath{make(chan struct{})})
		for i := range waiting + 3 {
			pause(r, fmt.Sprintf("held-%d", i), "https://shop.example/hold")
		}
		synctest.Wait()
		for i := range waiting + 3 {
			if got := r.about(fmt.Sprintf("held-%d", i)); len(got) != max(0, min(1, i-waiting+1)) {
				t.Errorf("request %d: got %v, want the first %d to wait", i, got, waiting)
			}
		}
		g.Close()
		for i := range waiting + 3 {
			if got := r.about(fmt.Sprintf("held-%d", i)); len(got) != 1 || !strings.HasPrefix(got[0], "Fetch.failRequest ") {
				t.Errorf("request %d after the end: got %v, want it refused", i, got)
			}
		}
		_ = line.Close()
	})
}

// The wall alone gets its name and password: a site that asks for one gets none.
func TestPasswordsAreTheWalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, r, line := shut(t, byPath{})
		for id, source := range map[string]string{"wall": "Proxy", "site": "Server"} {
			r.out <- fmt.Sprintf(`{"method":"Fetch.authRequired","params":{"requestId":%q,"request":{"method":"GET","url":"https://shop.example/"},"authChallenge":{"source":%q,"origin":"x","scheme":"basic","realm":"y"}}}`, id, source)
		}
		synctest.Wait()
		if got := r.about("wall"); len(got) != 1 || !strings.Contains(got[0], `"ProvideCredentials"`) || !strings.Contains(got[0], `"secret"`) {
			t.Errorf("the wall: got %v, want its password", got)
		}
		if got := r.about("site"); len(got) != 1 || !strings.Contains(got[0], `"CancelAuth"`) || strings.Contains(got[0], "secret") {
			t.Errorf("a site: got %v, want no password", got)
		}
		g.Close()
		_ = line.Close()
	})
}

// A pause that says nothing of its request is the end of the browser.
func TestNonsenseEndsTheBrowser(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"method":"Fetch.requestPaused","params":{}}`, `{"method":"Fetch.requestPaused","params":{"requestId":1}}`, `{"method":"Fetch.authRequired","params":{}}`} {
		g, r, line := shut(t, byPath{})
		r.out <- text
		<-line.Ended()
		g.Close()
		if err := line.Err(); err == nil || line.Close() != nil {
			t.Errorf("%s: got %v, want the line's end", text, err)
		}
	}
}
