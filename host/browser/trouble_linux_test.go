package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// T11: a page that hangs, crashes, asks, or has more than an answer holds, costs its operation a
// failure, and the run goes on (BR-16).
func TestTroubleOnPages(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/": "<title>shop</title><h1>Welcome</h1>", "/asks": `<title>asks</title><script>alert("x"); confirm("y"); prompt("z"); onbeforeunload = e => e.preventDefault()</script><h1>asked</h1>`,
		"/large": `<title>large</title><p>` + strings.Repeat("x", abi.BrowserTextsBytes+1) + `</p>` + strings.Repeat("<i>i</i>", 10_000), "/body": strings.Repeat("x", abi.BrowserFetchBytes+1),
	})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/asks"}`)
	if _, body := b.does(`{"do":"text","selector":"h1"}`); body != `["asked"]` {
		t.Errorf("behind its questions: got %s, want the page", body)
	}
	b.does(`{"do":"goto","url":"https://shop.example/large"}`)
	b.fails(`{"do":"text","selector":"p"}`, abi.CodeBrowserTooLarge)
	b.fails(`{"do":"text","selector":"i","all":true}`, abi.CodeBrowserTooLarge)
	if _, body := b.does(`{"do":"content"}`); len(body) < abi.BrowserTextsBytes {
		t.Errorf("content: got %d bytes, want the whole page", len(body))
	}
	if a, _ := b.does(`{"do":"fetch","requests":[{"url":"https://shop.example/body"},{"url":"https://shop.example/"}]}`); a.Results[0].Error == nil ||
		a.Results[0].Error.Code != abi.CodeBrowserTooLarge || a.Results[1].Status != 200 {
		t.Errorf("fetch: got %+v, want one that is too large, and one that is there", a.Results)
	}
	began := time.Now()
	b.fails(`{"do":"eval","fn":"() => { for (;;); }","timeout_ms":1000}`, abi.CodeBrowserTimeout)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a function without an end: got its failure after %s, want it soon", took)
	}
	if _, body := b.does(`{"do":"eval","fn":"() => 1"}`); body != "1" {
		t.Errorf("afterwards: got %s, want the page alive", body)
	}
	b.does(`{"do":"open","url":"https://shop.example/?2"}`)
	b.crash(2)
	b.fails(`{"do":"text","page":2,"selector":"h1"}`, abi.CodeBrowserPageUnknown)
	if a, _ := b.does(`{"do":"open","url":"https://shop.example/?3"}`); a.Page != 3 {
		t.Errorf("after a crash: got page %d, want another one", a.Page)
	}
	for n := 3; n <= 5; n++ { // with the second page, four crashes
		if n > 3 {
			b.does(fmt.Sprintf(`{"do":"open","url":"https://shop.example/?%d"}`, n))
		}
		b.crash(n)
	}
	until(t, "the browser is given up", func() bool {
		a, _ := b.ask(`{"do":"pages"}`)
		return a.Error != nil && a.Error.Code == abi.CodeBrowserUnstable
	})
}

// crash ends the process of a page, while an operation waits there, which has to say so.
func (b *bound) crash(page int) {
	b.t.Helper()
	number := string(rune('0' + page))
	answers := make(chan []byte, 1)
	if err := b.Do([]byte(`{"do":"wait","page":`+number+`,"any":[{"selector":"h7"}]}`), func(a []byte) { answers <- a }); err != nil {
		b.t.Fatal(err)
	}
	line := b.browser.line
	targets, err := proto.TargetGetTargets{}.Call(line.On(b.t.Context(), ""))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, target := range targets.TargetInfos {
		if target.URL != "https://shop.example/?"+number {
			continue
		}
		attached, err := proto.TargetAttachToTarget{TargetID: target.TargetID, Flatten: true}.Call(line.On(b.t.Context(), ""))
		if err != nil {
			b.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Second) // it answers nothing
		_, _ = proto.PageNavigate{URL: "chrome://crash"}.Call(line.On(ctx, attached.SessionID))
		cancel()
	}
	select {
	case answer := <-answers:
		if !strings.Contains(string(answer), string(abi.CodeBrowserPageCrashed)) && !strings.Contains(string(answer), string(abi.CodeBrowserUnstable)) {
			b.t.Errorf("an operation on a page that crashes: got %s, want %s", answer, abi.CodeBrowserPageCrashed)
		}
	case <-time.After(time.Minute):
		b.t.Fatal("an operation on a page that crashes has no answer")
	}
}

// A browser whose process dies, as for want of memory, is what its run failed at, also when it asks
// the browser for nothing any more.
func TestProcessDies(t *testing.T) {
	t.Parallel()
	b := bind(t, newSite(t, nil), nil)
	b.does(`{"do":"open"}`)
	b.browser.process.Kill()
	until(t, "the run has failed", func() bool { return abi.CodeOf(b.Fault()) == abi.CodeBrowserStart })
}

// Why the host has ended a browser is told as it is, and is not how its program ended then.
func TestWhyTheHostEndedIt(t *testing.T) {
	t.Parallel()
	process, err := launch.Start(launch.Options{Program: "/bin/true", Temp: t.TempDir(), Unsandboxed: true})
	if err != nil {
		t.Fatal(err)
	}
	<-process.Ended()
	stalled := abi.NewError(abi.CodeBrowserClosed, "signing in made no progress, and was ended", "try it again")
	for _, why := range []error{stalled, abi.NewError(abi.CodeBrowserMemory, "the browser took too much", "")} {
		// A pipe of its own: that of a process that has ended is at its end, perhaps before End is called.
		line := wire.New(make(silence), time.Minute)
		line.End(why)
		b := &Browser{process: process, line: line}
		if got := b.because(line.Err()); got.Error() != why.Error() { // errors.Is compares codes
			t.Errorf("ended for %v: got %v, want that", why, got)
		}
		_ = line.Close()
	}
	b := &Browser{process: process}
	if got := b.because(wire.ErrGone); abi.CodeOf(got) != abi.CodeBrowserStart {
		t.Errorf("ended by itself: got %v, want %s", got, abi.CodeBrowserStart)
	}
}

// silence is a browser that says nothing until its line ends.
type silence chan struct{}

func (s silence) Send([]byte) error     { return nil }
func (s silence) Read() ([]byte, error) { <-s; return nil, wire.ErrGone }
func (s silence) Close() error          { close(s); return nil }

// BR-07.6: a run whose gate could not answer has failed, whatever its connector makes of that, also
// when it asks the browser for nothing any more.
func TestGateThatIsNotHeard(t *testing.T) {
	t.Parallel()
	b := bind(t, newSite(t, nil), nil)
	b.does(`{"do":"open"}`)
	if why := b.Fault(); why != nil {
		t.Fatalf("before: got %v, want no fault", why)
	}
	b.browser.line.End(abi.NewError(abi.CodeBrowserUnstable, "the browser takes no answers to its requests any more", ""))
	until(t, "the run has failed", func() bool { return abi.CodeOf(b.Fault()) == abi.CodeBrowserUnstable })
	b.fails(`{"do":"pages"}`, abi.CodeBrowserUnstable)
}
