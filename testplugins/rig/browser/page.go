package browser

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
	"github.com/ysmood/gson"
)

// Patience is how long a page may take to show something, on a machine that is busy with
// other tests.
const Patience = 3 * time.Minute

// Page is a tab of a visitor. It is for one goroutine.
type Page struct {
	t       testing.TB
	v       *Visitor
	p       *rod.Page
	trouble *trouble
}

// Page opens a tab.
func (v *Visitor) Page() *Page {
	v.t.Helper()
	made, err := v.drive.Page(proto.TargetCreateTarget{})
	if err != nil {
		v.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Page{t: v.t, v: v, p: made.Context(ctx), trouble: &trouble{}}
	watched := p.watch()
	v.t.Cleanup(func() {
		cancel()
		watched()
		for _, what := range p.trouble.all() {
			v.t.Errorf("the page %s", what)
		}
	})
	p.Sized(v.o.Width, v.o.Height)
	p.Dark(v.o.Dark)
	p.must(proto.EmulationSetScriptExecutionDisabled{Value: v.o.NoScripts}.Call(p.p))
	if v.o.Language != "" {
		p.must(proto.EmulationSetLocaleOverride{Locale: v.o.Language}.Call(p.p))
	}
	if v.o.Zone != "" {
		p.must(proto.EmulationSetTimezoneOverride{TimezoneID: v.o.Zone}.Call(p.p))
	}
	return p
}

func (p *Page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// Dark says whether whoever looks at the page likes it dark.
func (p *Page) Dark(is bool) {
	p.t.Helper()
	scheme := "light"
	if is {
		scheme = "dark"
	}
	p.must(proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}.Call(p.p))
}

// Sized gives the window a size; 0 is the usual.
func (p *Page) Sized(width, height int) {
	p.t.Helper()
	if width == 0 {
		width = 1280
	}
	if height == 0 {
		height = 900
	}
	p.must(proto.EmulationSetDeviceMetricsOverride{Width: width, Height: height, DeviceScaleFactor: 1}.Call(p.p))
}

// Open goes to an address, of the home where it has no origin, and waits until it is loaded.
func (p *Page) Open(address string) {
	p.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = p.v.home + address
	}
	before := p.trouble.loads()
	res, err := proto.PageNavigate{URL: address}.Call(p.p)
	p.must(err)
	if res.ErrorText != "" {
		p.t.Fatalf("opening %s: %s", address, res.ErrorText)
	}
	p.until("loading "+address, func() bool { return p.trouble.loads() > before })
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	before := p.trouble.loads()
	p.must(proto.PageReload{}.Call(p.p))
	p.until("loading again", func() bool { return p.trouble.loads() > before })
}

// ReloadUntil loads the page again until it says a text.
func (p *Page) ReloadUntil(text string) {
	p.t.Helper()
	p.until("to say "+quote(text), func() bool {
		if strings.Contains(p.Text(), text) {
			return true
		}
		p.Reload()
		return strings.Contains(p.Text(), text)
	})
}

// until waits for what the browser does in its own time.
func (p *Page) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(Patience); !done(); time.Sleep(15 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s: it did not happen in %s. The page at %s says:\n%s\n%q", what, Patience, p.try("location.href"), p.try("document.body.innerText"), p.trouble.all())
		}
	}
}

// evaluate runs an expression, in a page whose scripts are off, too.
func (p *Page) evaluate(expression string) (gson.JSON, error) {
	res, err := proto.RuntimeEvaluate{Expression: expression, ReturnByValue: true, AwaitPromise: true}.Call(p.p)
	switch {
	case err != nil:
		return gson.JSON{}, err
	case res.ExceptionDetails != nil:
		return gson.JSON{}, &thrown{res.ExceptionDetails}
	}
	return res.Result.Value, nil
}

type thrown struct{ *proto.RuntimeExceptionDetails }

func (e *thrown) Error() string {
	if e.Exception != nil && e.Exception.Description != "" {
		return e.Exception.Description
	}
	return e.Text
}

// Eval runs an expression in the page and returns its value.
func (p *Page) Eval(expression string) gson.JSON {
	p.t.Helper()
	v, err := p.evaluate(expression)
	p.must(err)
	return v
}

// try is Eval for a page that may be on its way to another one.
func (p *Page) try(expression string) string {
	v, err := p.evaluate(expression)
	if err != nil {
		return ""
	}
	return v.Str()
}

// Text is what the page says.
func (p *Page) Text() string { return p.try("document.body ? document.body.innerText : ''") }

// Frames are the addresses of what the page's frames show. A frame that was refused shows none.
func (p *Page) Frames() (shown []string) {
	p.t.Helper()
	tree, err := proto.PageGetFrameTree{}.Call(p.p)
	p.must(err)
	for _, f := range tree.FrameTree.ChildFrames {
		if f.Frame.UnreachableURL == "" {
			shown = append(shown, f.Frame.URL)
		}
	}
	return shown
}

// Path is the path and the query of the page's address.
func (p *Page) Path() string { return p.try("location.pathname + location.search") }

// See waits until the page says each of the texts.
func (p *Page) See(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.until("to say "+quote(text), func() bool { return strings.Contains(p.Text(), text) })
	}
}

// Gone waits until the page does not say a text any more.
func (p *Page) Gone(text string) {
	p.t.Helper()
	p.until("not to say "+quote(text), func() bool { t := p.Text(); return t != "" && !strings.Contains(t, text) })
}

// At waits until the page's address begins with path.
func (p *Page) At(path string) {
	p.t.Helper()
	p.until("to be at "+path, func() bool { return strings.HasPrefix(p.Path(), path) && p.try("document.readyState") == "complete" })
}

// Holds waits until an expression is true in the page.
func (p *Page) Holds(expression string) {
	p.t.Helper()
	p.until(expression, func() bool { v, err := p.evaluate("!!(" + expression + ")"); return err == nil && v.Bool() })
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // text is always JSON
	}
	return string(b)
}
