package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// T3, T4: signing in that makes no progress ends with its browser, also when the page is in an
// endless loop: within the limit and what ending takes, with the last label, and without another
// attempt when a secret was sent (BR-12, BR-13.5, RT-15). A question to the owner stops the clock.
func TestSignInStalls(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>", "/login": `<title>sign in</title><input name=password type=password><button id=go onclick="setTimeout(() => { for (;;); })">Go</button>`})
	began := time.Now()
	first := bind(t, shop, nil)
	first.does(`{"do":"open","url":"https://shop.example/"}`)
	limit := min(max(3*time.Second, 3*time.Since(began)), 12*time.Second) // a slow machine gets more; a page that hangs is closed after 15 s
	_ = first.Close()
	for name, submits := range map[string]bool{"before the password": false, "behind it": true} {
		b := bind(t, shop, map[string]string{"password": password})
		b.request.Limit = limit
		type end struct {
			why   error
			again bool
		}
		ends, told := make(chan end, 2), make(chan string, 4)
		b.Watch(func(why error, again bool) { ends <- end{why, again} }, func(event string, data map[string]any) { told <- fmt.Sprint(event, data) })
		b.does(`{"do":"open","url":"https://shop.example/"}`)
		b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
		page := b.pages()[0]
		b.Asking(true)
		select {
		case e := <-ends:
			t.Fatalf("%s: got %+v while the owner is asked, want the clock stopped", name, e)
		case <-time.After(limit + time.Second):
		}
		b.Asking(false)
		b.does(`{"do":"checkpoint","label":"form-there"}`)
		for _, want := range []string{"session-establish:begin", "form-there"} { // BR-11, RT-14.1, RT-14.2
			if got := <-told; got != "run.browser_checkpointmap[label:"+want+"]" {
				t.Errorf("%s: got the event %s, want the checkpoint %s", name, got, want)
			}
		}
		if submits {
			b.does(`{"page":` + page + `,"do":"fill","selector":"[name=password]","credential":"password"}`)
		}
		b.does(`{"page":` + page + `,"do":"click","selector":"#go"}`)
		began := time.Now()
		answers := make(chan []byte, 1)
		if err := b.Do([]byte(`{"page":`+page+`,"do":"wait","any":[{"selector":"#never"}],"timeout_ms":60000}`), func(a []byte) { answers <- a }); err != nil {
			t.Fatal(err)
		}
		select {
		case e := <-ends:
			if abi.CodeOf(e.why) != abi.CodeBrowserStalled || e.again == submits {
				t.Errorf("%s: got %v, again %v, want %s, again %v", name, e.why, e.again, abi.CodeBrowserStalled, !submits)
			}
		case <-time.After(5 * limit):
			t.Fatalf("%s: nothing has ended it", name)
		}
		if got := string(<-answers); !strings.Contains(got, string(abi.CodeBrowserClosed)) && !strings.Contains(got, string(abi.CodeBrowserPageHung)) { // not how its program ended
			t.Errorf("%s: what went on got %s, want %s, or %s from a machine that is busy", name, got, abi.CodeBrowserClosed, abi.CodeBrowserPageHung)
		}
		<-b.browser.process.Ended()
		if took := time.Since(began); took > 5*limit {
			t.Errorf("%s: the browser was gone after %s, want it within %s, 15 s on a machine that is not busy", name, took, 5*limit)
		}
		_ = b.Close()
	}
}
