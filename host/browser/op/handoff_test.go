package op

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/browser/roles"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// silent is a browser that answers every call, but those of a method.
type silent struct {
	method string
	passes []bool // whether the policies of each page that was attached are passed
	out    chan []byte
	closed chan struct{}
}

func (s *silent) Send(message []byte) error {
	var m struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId"` //nolint:tagliatelle // the protocol's own
		Method  string `json:"method"`
		Params  struct {
			Enabled bool `json:"enabled"`
		} `json:"params"`
	}
	if err := json.Unmarshal(message, &m); err != nil || m.Method == s.method {
		return err
	}
	if m.Method == "Page.setBypassCSP" {
		s.passes = append(s.passes, m.Params.Enabled)
	}
	results := map[string]string{
		"Target.createTarget": `{"targetId":"T"}`, "Target.attachToTarget": `{"sessionId":"S"}`, "Page.navigate": `{"frameId":"T","loaderId":"L"}`,
		"Page.createIsolatedWorld": `{"executionContextId":1}`, "Runtime.evaluate": `{"result":{"type":"string","value":"0"}}`, "Target.closeTarget": `{"success":true}`,
		"Target.getTargetInfo": `{"targetInfo":{"targetId":"T","type":"page","url":"https://shop.example/","title":"shop"}}`,
	}
	result := results[m.Method]
	if result == "" {
		result = "{}"
	}
	s.out <- fmt.Appendf(nil, `{"id":%d,"sessionId":%q,"result":%s}`, m.ID, m.Session, result)
	if m.Method == "Page.navigate" {
		s.out <- []byte(`{"method":"Page.lifecycleEvent","sessionId":"S","params":{"frameId":"T","loaderId":"L","name":"load","timestamp":1}}`)
	}
	return nil
}

func (s *silent) Read() ([]byte, error) {
	select {
	case b := <-s.out:
		return b, nil
	case <-s.closed:
		return nil, context.Canceled
	}
}

func (s *silent) Close() error {
	close(s.closed)
	return nil
}

// RT-13.1, BR-14: a browser that does not say where a page is has two seconds; the page is handed
// over all the same, and one diagnostic says so. RT-13.2: where it answers, the title is shown and
// there is none.
func TestMetadataTimeout(t *testing.T) {
	t.Parallel()
	for method, want := range map[string][]string{"": nil, "Target.getTargetInfo": {"run.browser_metadata_timeout"}} {
		synctest.Test(t, func(t *testing.T) {
			line := wire.New(&silent{method: method, out: make(chan []byte, 1000), closed: make(chan struct{})}, time.Minute)
			var told []string
			o, err := New(t.Context(), Options{
				Line: line, Roles: roles.New([]abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}, nil), StartURL: "https://shop.example/", Now: time.Now,
				Tell: func(event string, _ map[string]any) { told = append(told, event) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := o.Do(t.Context(), &abi.BrowserRequest{Do: abi.BrowserOpen, URL: "https://shop.example/"}); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			page, err := o.HandOver(t.Context(), &abi.Handoff{Reason: abi.HandoffLogin})
			if err != nil {
				t.Fatalf("%q: got %v, want the page handed over", method, err)
			}
			told = slices.DeleteFunc(told, func(event string) bool { return event == "run.browser_checkpoint" })
			if s, _ := page.State(); len(s.Pages) != 1 || (s.Pages[0].Title == "shop") != (want == nil) {
				t.Errorf("%q: got %+v, want the title where it is known", method, s)
			}
			if took := time.Since(began); took > 5*time.Second || !slices.Equal(told, want) {
				t.Errorf("%q: got %v after %s, want %v in a few seconds", method, told, took, want)
			}
			if _, _, err := o.Do(t.Context(), &abi.BrowserRequest{Do: abi.BrowserList}); abi.CodeOf(err) != abi.CodeBrowserHandedOver {
				t.Errorf("got %v, want %s", err, abi.CodeBrowserHandedOver)
			}
			page.Back(t.Context(), page.Outcome() == handoff.OutcomeDone)
			o.Close()
			if err := line.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A condition that ends a hand-off does not ask for what the owner types, and a title is clipped.
func TestHandedWhen(t *testing.T) {
	t.Parallel()
	for d, want := range map[*abi.HandoffDone]abi.Code{
		{Selector: "#code"}: "", {Session: []string{"sid"}}: "", {URLPrefix: "https://shop.example/account"}: "",
		{Selector: "input[value^=h]"}: abi.CodeBrowserSignIn, {URLPrefix: "https://shop.example/?q=h"}: abi.CodeBrowserSignIn, {URLPrefix: "https://shop.example/#h"}: abi.CodeBrowserSignIn,
	} {
		if err := handedWhen(d); want == "" && err != nil || want != "" && abi.CodeOf(err) != want {
			t.Errorf("%+v: got %v, want %q", d, err, want)
		}
	}
	if got := clip(strings.Repeat("ä", mostTitle+1) + "\xff"); got != strings.Repeat("ä", mostTitle) {
		t.Errorf("got %q, want %d characters", got, mostTitle)
	}
}

// A page that the site opens during a hand-off keeps its own policy (BR-15), though the manifest
// asks to pass those of the connector's pages.
func TestPolicyOfAPopup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		browser := &silent{out: make(chan []byte, 1000), closed: make(chan struct{})}
		line := wire.New(browser, time.Minute)
		o, err := New(t.Context(), Options{
			Line: line, Roles: roles.New([]abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}, nil), StartURL: "https://shop.example/", Now: time.Now,
			BypassCSP: true, Tell: func(string, map[string]any) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := o.Do(t.Context(), &abi.BrowserRequest{Do: abi.BrowserOpen, URL: "https://shop.example/"}); err != nil {
			t.Fatal(err)
		}
		page, err := o.HandOver(t.Context(), &abi.Handoff{Reason: abi.HandoffLogin})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		browser.passes = nil
		browser.out <- []byte(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"P","type":"page","openerId":"T","url":"https://shop.example/pop"}}}`)
		synctest.Wait()
		if !slices.Equal(browser.passes, []bool{false}) {
			t.Errorf("got policies passed %v, want one page that keeps its own", browser.passes)
		}
		page.Back(t.Context(), false)
		o.Close()
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	})
}

var _ handoff.Page = (*hand)(nil)

// A hand-off waits for what goes on, and no longer than its run.
func TestHandOverWaits(t *testing.T) {
	t.Parallel()
	o := &Ops{}
	o.window.RLock() // an operation goes on
	defer o.window.RUnlock()
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the run is over")
	cancel(over)
	if _, err := o.HandOver(ctx, &abi.Handoff{}); !errors.Is(err, over) {
		t.Errorf("got %v, want %v", err, over)
	}
}

// A page whose script waits for a request that the governor holds answers nobody, and is none that
// hangs; without such a request of its own it is (BR-16).
func TestScriptThatWaitsAtTheGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		browser := &silent{out: make(chan []byte, 1000), closed: make(chan struct{})}
		line := wire.New(browser, time.Minute)
		var lock sync.Mutex
		held := []string{"T"}
		o, err := New(t.Context(), Options{
			Line: line, Roles: roles.New([]abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}, nil), StartURL: "https://shop.example/", Now: time.Now,
			Held: func() []string {
				lock.Lock()
				defer lock.Unlock()
				return held
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := o.Do(t.Context(), &abi.BrowserRequest{Do: abi.BrowserOpen, URL: "https://shop.example/"}); err != nil {
			t.Fatal(err)
		}
		p, err := o.pages.Page(1)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		browser.method = "Runtime.evaluate"
		defer p.Doing()()
		time.Sleep(time.Minute)
		if _, err := o.pages.Page(1); err != nil {
			t.Errorf("while its request is held: got %v, want the page", err)
		}
		lock.Lock()
		held = nil
		lock.Unlock()
		time.Sleep(time.Minute)
		if _, err := o.pages.Page(1); abi.CodeOf(err) != abi.CodeBrowserPageUnknown {
			t.Errorf("with none held: got %v, want it closed, for it hangs", err)
		}
		o.Close()
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	})
}
