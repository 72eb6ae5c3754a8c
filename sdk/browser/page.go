package browser

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Page is one page, as it was when something was last done on it.
type Page struct {
	Number int
	URL    string
	Title  string
	Status int // of its document; 0: it came from no network

	b Browser
}

// took takes over what an answer says of the page.
func (p *Page) took(v jsonvalue.Value) {
	if n := v.Get("page").Int(); n > 0 {
		p.Number = int(n)
	}
	p.URL, p.Title, p.Status = v.Get("url").Str(), v.Get("title").Str(), int(v.Get("status").Int())
}

func (p *Page) move(r []byte) error {
	v, _, err := p.b.do(r)
	if err == nil {
		p.took(v)
	}
	return err
}

// Goto leads the page to an address, until all of it is loaded.
func (p *Page) Goto(url string) error {
	return p.move(text(request(abi.BrowserGoto, p.Number), "url", url))
}

// Back leads the page to where it was before.
func (p *Page) Back() error { return p.move(request(abi.BrowserBack, p.Number)) }

// Reload loads the page anew.
func (p *Page) Reload() error { return p.move(request(abi.BrowserReload, p.Number)) }

// Close closes the page.
func (p *Page) Close() error {
	_, _, err := p.b.do(request(abi.BrowserClose, p.Number))
	return err
}

// Visible is the condition that an element is seen.
func Visible(selector string) abi.BrowserCondition {
	return abi.BrowserCondition{Selector: selector}
}

// At is the condition that the page's address begins so.
func At(prefix string) abi.BrowserCondition { return abi.BrowserCondition{URLPrefix: prefix} }

// Says is the condition that an element has a text in it.
func Says(selector, words string) abi.BrowserCondition {
	return abi.BrowserCondition{Selector: selector, Text: words}
}

// Wait waits until one of the conditions holds, and returns its index.
func (p *Page) Wait(conditions ...abi.BrowserCondition) (int, error) {
	r := append(jsonappend.Name(request(abi.BrowserWait, p.Number), "any"), '[')
	for _, c := range conditions {
		r = append(jsonappend.Elem(r), '{')
		r = text(text(text(text(r, "selector", c.Selector), "state", c.State), "text", c.Text), "url_prefix", c.URLPrefix)
		r = append(r, '}')
	}
	v, _, err := p.b.do(append(r, ']'))
	if err != nil {
		return 0, err
	}
	p.took(v)
	return int(v.Get("index").Int()), nil
}

// Probe says what each selector finds.
func (p *Page) Probe(selectors ...string) ([]abi.BrowserFound, error) {
	v, _, err := p.b.do(jsonappend.Strings(jsonappend.Name(request(abi.BrowserProbe, p.Number), "selectors"), selectors))
	if err != nil {
		return nil, err
	}
	var found []abi.BrowserFound
	for it := v.Get("found").Children(); it.Next(); {
		f := it.Value()
		found = append(found, abi.BrowserFound{Count: int(f.Get("count").Int()), Visible: f.Get("visible").Bool(), Enabled: f.Get("enabled").Bool()})
	}
	return found, nil
}

// Text returns the text of the first element that matches.
func (p *Page) Text(selector string) (string, error) {
	all, err := p.texts(text(request(abi.BrowserText, p.Number), "selector", selector))
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}

// Texts returns the texts of all elements that match.
func (p *Page) Texts(selector string) ([]string, error) {
	return p.texts(every(text(request(abi.BrowserText, p.Number), "selector", selector)))
}

// Attrs returns an attribute of all elements that match; "" where one has none.
func (p *Page) Attrs(selector, name string) ([]string, error) {
	return p.texts(every(text(text(request(abi.BrowserAttr, p.Number), "selector", selector), "name", name)))
}

func every(r []byte) []byte { return jsonappend.Bool(jsonappend.Name(r, "all"), true) }

func (p *Page) texts(r []byte) ([]string, error) {
	_, body, err := p.b.do(r)
	if err != nil {
		return nil, err
	}
	v, err := jsonvalue.Parse(body)
	if err != nil {
		return nil, err
	}
	var all []string
	for it := v.Children(); it.Next(); {
		all = append(all, it.Value().Str())
	}
	return all, nil
}

// Content returns an element as HTML; with no selector, the whole document.
func (p *Page) Content(selector string) ([]byte, error) {
	_, body, err := p.b.do(text(request(abi.BrowserHTML, p.Number), "selector", selector))
	return body, err
}

// Click clicks an element.
func (p *Page) Click(selector string) error { return p.click(selector, "") }

// ClickThrough clicks an element, and waits for the page that it leads to.
func (p *Page) ClickThrough(selector string) error { return p.click(selector, abi.ExpectNavigation) }

// ClickOpen clicks an element, and returns the page that it opens.
func (p *Page) ClickOpen(selector string) (*Page, error) {
	v, _, err := p.b.do(text(text(request(abi.BrowserClick, p.Number), "selector", selector), "expect", abi.ExpectPopup))
	if err != nil {
		return nil, err
	}
	q := &Page{b: p.b}
	q.took(v)
	return q, nil
}

func (p *Page) click(selector, expect string) error {
	return p.move(text(text(request(abi.BrowserClick, p.Number), "selector", selector), "expect", expect))
}

// Fill types a text into a field, in the place of what stands there.
func (p *Page) Fill(selector, value string) error {
	r := text(request(abi.BrowserFill, p.Number), "selector", selector)
	_, _, err := p.b.do(jsonappend.String(jsonappend.Name(r, "value"), value))
	return err
}

// FillCredential has the host type a credential of the owner's into a field, within SignIn.
func (p *Page) FillCredential(selector, credential string) error {
	_, _, err := p.b.do(text(text(request(abi.BrowserFill, p.Number), "selector", selector), "credential", credential))
	return err
}

// Press presses a key, in an element when selector names one.
func (p *Page) Press(selector, key string) error {
	return p.move(text(text(request(abi.BrowserPress, p.Number), "selector", selector), "key", key))
}

// Select chooses options of a list by their values.
func (p *Page) Select(selector string, values ...string) error {
	r := text(request(abi.BrowserSelect, p.Number), "selector", selector)
	_, _, err := p.b.do(jsonappend.Strings(jsonappend.Name(r, "values"), values))
	return err
}

// Eval runs a function on the page, in a world of its own, and returns its result. args is its
// one argument, as JSON; nil: null. The Value is valid as long as it is kept.
func (p *Page) Eval(fn string, args []byte) (jsonvalue.Value, error) {
	r := text(request(abi.BrowserEval, p.Number), "fn", fn)
	if len(args) > 0 {
		r = append(jsonappend.Name(r, "args"), args...)
	}
	_, body, err := p.b.do(r)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return jsonvalue.Parse(body)
}

// Fetched is what became of one request of Fetch.
type Fetched struct {
	*sdk.Response // nil with Err

	Err error // it got no answer: a *sdk.FetchError where the provider or a bound of the run caused it
}

// Get has the page fetch addresses with its cookies, up to abi.BrowserFetches of them.
func (p *Page) Get(urls ...string) ([]Fetched, error) {
	asks := make([]sdk.Request, len(urls))
	for i, url := range urls {
		asks[i].URL = url
	}
	return p.Fetch(asks...)
}

// Fetch is Get for requests of other methods, and with headers. They have no Credential.
func (p *Page) Fetch(asks ...sdk.Request) ([]Fetched, error) {
	r := append(jsonappend.Name(request(abi.BrowserFetch, p.Number), "requests"), '[')
	for _, a := range asks {
		r = sdk.AppendAsk(jsonappend.Elem(r), a)
	}
	v, body, err := p.b.do(append(r, ']'))
	if err != nil {
		return nil, err
	}
	var got []Fetched
	for it := v.Get("results").Children(); it.Next(); {
		var f Fetched
		f.Response, f.Err = sdk.ReadFetched(it.Value(), body)
		got = append(got, f)
	}
	return got, nil
}

// Carry has the page send every further request of the connector's, as package api makes them.
func (p *Page) Carry() { p.b.h.FetchIn(p.Number) }

// Quiet leads the page to an address, until nothing more was asked for in half a second.
func (p *Page) Quiet(url string) error {
	return p.move(text(text(request(abi.BrowserGoto, p.Number), "url", url), "until", abi.UntilQuiet))
}

// Screenshot takes a picture of what the page shows, or of one element; as PNG.
func (p *Page) Screenshot(selector string) ([]byte, error) {
	_, body, err := p.b.do(text(request(abi.BrowserScreenshot, p.Number), "selector", selector))
	return body, err
}

// Capture keeps the answers that the page gets from then on to requests whose addresses begin
// with one of prefixes; with none, all of the provider's.
func (p *Page) Capture(prefixes ...string) error {
	r := request(abi.BrowserCaptureStart, p.Number)
	if len(prefixes) > 0 {
		r = jsonappend.Strings(jsonappend.Name(r, "url_prefixes"), prefixes)
	}
	_, _, err := p.b.do(r)
	return err
}

// Captured returns the oldest answer that was kept, and waits for one. dropped counts those that
// were lost so far, because they were too large or nobody took them.
func (p *Page) Captured() (answer *sdk.Response, dropped int64, err error) {
	v, body, err := p.b.do(request(abi.BrowserCaptureNext, p.Number))
	if err != nil {
		return nil, 0, err
	}
	answer, err = sdk.ResponseOf(v, body)
	return answer, v.Get("dropped").Int(), err
}

// CaptureNoMore ends what Capture has begun.
func (p *Page) CaptureNoMore() error {
	_, _, err := p.b.do(request(abi.BrowserCaptureStop, p.Number))
	return err
}
