package browser

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Browser is the run's browser.
type Browser struct{ h *sdk.Host }

// Of returns the browser of a run. It starts when it is first used.
func Of(h *sdk.Host) Browser { return Browser{h} }

// request begins a request.
func request(do string, page int) []byte {
	b := jsonappend.String(append([]byte(nil), `{"do":`...), do)
	if page > 0 {
		b = jsonappend.Int(jsonappend.Name(b, "page"), int64(page))
	}
	return b
}

func text(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return jsonappend.String(jsonappend.Name(b, name), value)
}

func (b Browser) do(request []byte) (jsonvalue.Value, []byte, error) {
	return b.h.Browse(append(request, '}'))
}

// Open opens a page and leads it to an address, until all of it is loaded.
func (b Browser) Open(url string) (*Page, error) {
	v, _, err := b.do(text(request(abi.BrowserOpen, 0), "url", url))
	if err != nil {
		return nil, err
	}
	p := &Page{b: b}
	p.took(v)
	return p, nil
}

// Pages lists the pages that are open.
func (b Browser) Pages() ([]abi.BrowserPage, error) {
	v, _, err := b.do(request(abi.BrowserList, 0))
	if err != nil {
		return nil, err
	}
	var pages []abi.BrowserPage
	for it := v.Get("pages").Children(); it.Next(); {
		p := it.Value()
		pages = append(pages, abi.BrowserPage{
			Page: int(p.Get("page").Int()), URL: p.Get("url").Str(), Title: p.Get("title").Str(), Opener: int(p.Get("opener").Int()),
		})
	}
	return pages, nil
}

// Checkpoint tells the host of progress in signing in.
func (b Browser) Checkpoint(label string) error {
	_, _, err := b.do(text(request(abi.BrowserCheckpoint, 0), "label", label))
	return err
}

// SignedIn reports whether the site has left all of these cookies. It reads none of them.
func (b Browser) SignedIn(cookies ...string) (bool, error) {
	v, _, err := b.do(jsonappend.Strings(jsonappend.Name(request(abi.BrowserSession, 0), "names"), cookies))
	if err != nil {
		return false, err
	}
	n := 0
	for it := v.Get("cookies").Children(); it.Next(); {
		if !it.Value().Get("present").Bool() {
			return false, nil
		}
		n++
	}
	return n == len(cookies), nil
}

// SignIn signs the owner in: steps leads the page through the site's forms, and fills them with
// credentials that it names. It reads nothing meanwhile. Then the page is at the manifest's
// start_url; elsewhere says that the site has led it away from there, so nobody is signed in.
// Every page that was open before is closed.
func (b Browser) SignIn(url string, steps func(p *Page) error) (p *Page, elsewhere bool, err error) {
	v, _, err := b.do(text(request(abi.BrowserSignInBegin, 0), "url", url))
	if err != nil {
		return nil, false, err
	}
	p = &Page{b: b}
	p.took(v)
	failed := steps(p)
	end := request(abi.BrowserSignInEnd, 0)
	if failed == nil {
		end = append(end, `,"ok":true`...)
	}
	v, _, err = b.do(end)
	if failed != nil {
		return nil, false, failed
	}
	if err != nil {
		return nil, false, err
	}
	p.took(v)
	return p, v.Get("state").Str() != "provider", nil
}

// Download is a file that the site has given.
type Download struct {
	Name   string // that the site suggests
	SHA256 string
	Body   []byte
}

// Download clicks an element of a page, and returns the file that comes of it.
func (p *Page) Download(selector string) (*Download, error) {
	if _, _, err := p.b.do(request(abi.BrowserDownloadArm, 0)); err != nil {
		return nil, err
	}
	if err := p.click(selector, abi.ExpectDownload); err != nil {
		return nil, err
	}
	v, _, err := p.b.do(request(abi.BrowserDownloadNext, 0))
	if err != nil {
		return nil, err
	}
	d := &Download{Name: v.Get("name").Str(), SHA256: v.Get("sha256").Str()}
	size := v.Get("bytes").Int()
	for int64(len(d.Body)) < size {
		r := text(request(abi.BrowserDownloadRead, 0), "id", v.Get("id").Str())
		r = jsonappend.Int(jsonappend.Name(r, "offset"), int64(len(d.Body)))
		r = jsonappend.Int(jsonappend.Name(r, "length"), abi.BrowserResult)
		_, part, err := p.b.do(r)
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			return nil, abi.NewError(abi.CodeBrowserDownload, "a download ended before its size", "run it again")
		}
		d.Body = append(d.Body, part...)
	}
	return d, nil
}
