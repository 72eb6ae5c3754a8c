package sdktest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Site is a site as a connector's browser would see it, without a browser: pages by their
// address, and what their selectors find. It draws nothing and runs no script.
type Site struct {
	Pages map[string]*SitePage // by address, without query and fragment
	// Fetch answers the requests of fetch, as Options.Provider does those of http; nil: each gets
	// 404. Options.Fails comes before it.
	Fetch http.Handler
	// Cookies are the names of the cookies that are there.
	Cookies map[string]bool
	// Eval answers eval; nil: null.
	Eval func(page, fn string, args []byte) string

	// Answers are what a page at an address gets while it is captured.
	Answers map[string][]SiteAnswer

	Filled  map[string]string // by selector: what was filled in; a credential as {its name}
	Clicked []string          // the selectors, in order

	open      map[int]string // addresses by page
	last      int
	signingIn bool
	armed     bool
	files     []SiteFile
	capturing map[int][]string // prefixes by page
	captured  []SiteAnswer
}

// SitePage is one page.
type SitePage struct {
	Title string
	Texts map[string][]string // by selector: the texts of the elements that it finds
	Attrs map[string][]string // by selector, "@" and the attribute's name
	// Clicks say where a click on a selector leads; "": nowhere. See Site.Clicked.
	Clicks map[string]func(*Site) string
	// Owner is what the owner does on the page when it is handed over and Options.Answer says
	// that it is done. It returns where that leads; "": nowhere.
	Owner func(*Site) string
	Files map[string]SiteFile // by selector: what a click downloads
}

// SiteFile is a file to download.
type SiteFile struct {
	Name string
	Body []byte
}

// SiteAnswer is an answer that a page gets.
type SiteAnswer struct {
	URL    string
	Status int
	Body   []byte
}

// reads are the operations that are refused while the owner is signed in.
var reads = []string{
	abi.BrowserOpen, abi.BrowserClose, abi.BrowserBack, abi.BrowserReload, abi.BrowserText, abi.BrowserAttr, abi.BrowserHTML, abi.BrowserSelect, abi.BrowserEval,
	abi.BrowserFetch, abi.BrowserCaptureStart, abi.BrowserCaptureNext, abi.BrowserCaptureStop, abi.BrowserScreenshot, abi.BrowserDownloadArm, abi.BrowserDownloadNext, abi.BrowserDownloadRead,
}

// browse answers the browser operation.
func (h *host) browse(request []byte) ([]byte, *abi.Error) {
	s := h.o.Site
	if s == nil {
		return nil, abi.NewError(abi.CodeBindingNotGranted, "a request to a browser without Options.Site", "")
	}
	var r abi.BrowserRequest
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || strict(request) != "" {
		return nil, abi.NewError(abi.CodeEnvelope, "a request to the browser cannot be read", "")
	}
	if r.Page == 0 {
		r.Page = 1
	}
	if s.open == nil {
		s.open, s.Filled = map[int]string{}, map[string]string{}
	}
	a, body, err := s.do(h, &r)
	if err != nil {
		a, body = &abi.BrowserAnswer{Error: &abi.BrowserFailure{Code: err.Code, Message: err.Message, Hint: err.Hint}}, nil
	}
	head, _ := json.Marshal(a)
	return append(append(head, '\n'), body...), nil
}

func siteError(code abi.Code, text string) *abi.Error { return abi.NewError(code, text, "") }

// do carries out one request.
func (s *Site) do(h *host, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, *abi.Error) {
	if s.signingIn && slices.Contains(reads, r.Do) {
		return nil, nil, siteError(abi.CodeBrowserSignIn, "nothing is read while the owner is signed in")
	}
	switch r.Do {
	case abi.BrowserOpen, abi.BrowserSignInBegin:
		if r.Do == abi.BrowserSignInBegin {
			clear(s.open)
			s.signingIn = true
		}
		s.last++
		r.Page = s.last
		return s.lead(r.Page, r.URL)
	case abi.BrowserSignInEnd:
		s.signingIn = false
		return s.end(h.manifest.Requirements.Browser)
	case abi.BrowserList, abi.BrowserCheckpoint:
		return s.list()
	case abi.BrowserSession:
		a := &abi.BrowserAnswer{}
		for _, name := range r.Names {
			a.Cookies = append(a.Cookies, abi.BrowserCookie{Name: name, Present: s.Cookies[name]})
		}
		return a, nil, nil
	case abi.BrowserDownloadArm, abi.BrowserDownloadNext, abi.BrowserDownloadRead:
		return s.download(r)
	}
	address, there := s.open[r.Page]
	if !there {
		return nil, nil, siteError(abi.CodeBrowserPageUnknown, "there is no such page")
	}
	switch r.Do {
	case abi.BrowserClose:
		delete(s.open, r.Page)
		return &abi.BrowserAnswer{}, nil, nil
	case abi.BrowserGoto:
		return s.lead(r.Page, r.URL)
	case abi.BrowserReload:
		return s.lead(r.Page, address)
	case abi.BrowserFetch:
		return s.fetch(h, r)
	case abi.BrowserCaptureStart, abi.BrowserCaptureNext, abi.BrowserCaptureStop:
		return s.capture(r)
	case abi.BrowserScreenshot:
		return s.picture(h.manifest.Requirements.Browser)
	case abi.BrowserEval:
		if s.Eval == nil {
			return &abi.BrowserAnswer{}, []byte("null"), nil
		}
		return &abi.BrowserAnswer{}, []byte(s.Eval(address, r.Fn, r.Args)), nil
	}
	return s.on(r, s.page(address))
}

func (s *Site) page(address string) *SitePage {
	if u, err := url.Parse(address); err == nil {
		u.RawQuery, u.Fragment = "", ""
		if p := s.Pages[u.String()]; p != nil {
			return p
		}
	}
	return &SitePage{}
}

func (s *Site) at(page int) *abi.BrowserAnswer {
	address := s.open[page]
	return &abi.BrowserAnswer{Page: page, URL: address, Title: s.page(address).Title}
}

func (s *Site) lead(page int, address string) (*abi.BrowserAnswer, []byte, *abi.Error) {
	s.open[page] = address
	s.gets(page)
	a := s.at(page)
	a.Status = http.StatusOK
	if p := s.page(address); p.Texts == nil && p.Title == "" {
		a.Status = http.StatusNotFound
	}
	return a, nil, nil
}

func (s *Site) list() (*abi.BrowserAnswer, []byte, *abi.Error) {
	a := &abi.BrowserAnswer{}
	for n := 1; n <= s.last; n++ {
		if address, there := s.open[n]; there {
			a.Pages = append(a.Pages, abi.BrowserPage{Page: n, URL: address, Title: s.page(address).Title})
		}
	}
	return a, nil, nil
}

// end leads the page of a sign-in to where the connector begins.
func (s *Site) end(asks *abi.BrowserRequirements) (*abi.BrowserAnswer, []byte, *abi.Error) {
	if asks == nil || s.open[s.last] == "" {
		return nil, nil, siteError(abi.CodeBrowserSignIn, "the owner is not signed in")
	}
	a, _, _ := s.lead(s.last, asks.StartURL)
	a.State = "provider"
	return a, nil, nil
}

// on does something with the elements of a page.
func (s *Site) on(r *abi.BrowserRequest, p *SitePage) (*abi.BrowserAnswer, []byte, *abi.Error) {
	switch r.Do {
	case abi.BrowserProbe:
		a := &abi.BrowserAnswer{}
		for _, selector := range r.Selectors {
			n := len(p.Texts[selector])
			a.Found = append(a.Found, abi.BrowserFound{Count: n, Visible: n > 0, Enabled: n > 0})
		}
		return a, nil, nil
	case abi.BrowserWait:
		i := slices.IndexFunc(r.Any, func(c abi.BrowserCondition) bool { return s.holds(r.Page, p, c) })
		if i < 0 {
			return nil, nil, siteError(abi.CodeBrowserTimeout, "the operation wait took too long")
		}
		a := s.at(r.Page)
		a.Index = &i
		return a, nil, nil
	case abi.BrowserText, abi.BrowserAttr:
		values := p.Texts[r.Selector]
		if r.Do == abi.BrowserAttr {
			values = p.Attrs[r.Selector+"@"+r.Name]
		}
		if len(values) == 0 {
			return nil, nil, siteError(abi.CodeBrowserNotFound, "no element matches "+r.Selector)
		}
		if !r.All {
			values = values[:1]
		}
		body, _ := json.Marshal(values)
		return &abi.BrowserAnswer{}, body, nil
	case abi.BrowserHTML:
		return &abi.BrowserAnswer{}, []byte(strings.Join(p.Texts[r.Selector], "")), nil
	}
	if len(p.Texts[r.Selector]) == 0 {
		return nil, nil, siteError(abi.CodeBrowserNotFound, "no element matches "+r.Selector)
	}
	switch r.Do {
	case abi.BrowserFill:
		if r.Value == nil {
			s.Filled[r.Selector] = "{" + r.Credential + "}"
		} else {
			s.Filled[r.Selector] = *r.Value
		}
	case abi.BrowserClick:
		s.Clicked = append(s.Clicked, r.Selector)
		if f, downloads := p.Files[r.Selector]; downloads && s.armed {
			s.armed, s.files = false, append(s.files, f)
		}
		if leads := p.Clicks[r.Selector]; leads != nil {
			if to := leads(s); to != "" {
				s.open[r.Page] = to
				s.gets(r.Page)
			}
		}
	}
	return s.at(r.Page), nil, nil
}

func (s *Site) holds(page int, p *SitePage, c abi.BrowserCondition) bool {
	found := p.Texts[c.Selector]
	switch {
	case c.URLPrefix != "":
		return strings.HasPrefix(s.open[page], c.URLPrefix)
	case c.Text != "":
		return slices.ContainsFunc(found, func(text string) bool { return strings.Contains(text, c.Text) })
	}
	return (c.State == abi.StateHidden) == (len(found) == 0)
}

// handOver hands a page to the owner, who answers, and takes it back.
func (s *Site) handOver(page int, asks *abi.BrowserRequirements, answer func() abi.InteractionResponse) (abi.InteractionResponse, *abi.Error) {
	address, there := s.open[page]
	if !there {
		return abi.InteractionResponse{}, siteError(abi.CodeBrowserPageUnknown, "there is no such page")
	}
	a := answer()
	if acts := s.page(address).Owner; acts != nil && a.Status == abi.ResponseSuccess {
		if to := acts(s); to != "" {
			s.open[page] = to
		}
	}
	if !s.signingIn && asks != nil {
		clear(s.open)
		s.last++
		s.open[s.last] = asks.StartURL
	}
	return a, nil
}

// fetch answers the requests of a page. One that the host would not send again has failed.
func (s *Site) fetch(h *host, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, *abi.Error) {
	a, body := &abi.BrowserAnswer{}, []byte(nil)
	for _, ask := range r.Requests {
		h.res.Requests = append(h.res.Requests, HTTPRequest{HTTPRequest: abi.HTTPRequest{Method: ask.Method, URL: ask.URL, Headers: ask.Headers}, Body: ask.Body})
		req, err := http.NewRequestWithContext(context.Background(), ask.Method, ask.URL, strings.NewReader(ask.Body))
		if err != nil {
			return nil, nil, siteError(abi.CodeBrowserRequest, err.Error())
		}
		for name, value := range ask.Headers {
			req.Header.Set(name, value)
		}
		one, text := s.answer(h, req)
		one.Offset, one.Length = int64(len(body)), int64(len(text))
		a.Results, body = append(a.Results, one), append(body, text...)
	}
	return a, body, nil
}

func (s *Site) answer(h *host, req *http.Request) (abi.BrowserResultOf, []byte) {
	var f *abi.HTTPFailure
	w := httptest.NewRecorder()
	if h.o.Fails != nil {
		f = h.o.Fails(req)
	}
	switch {
	case f != nil:
	case s.Fetch == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		s.Fetch.ServeHTTP(w, req)
		f = h.gaveUp(w)
	}
	if f != nil {
		return abi.BrowserResultOf{Error: &abi.BrowserFailure{
			Code: f.Code, Message: f.Message, Hint: f.Hint, GapReason: f.GapReason, Stop: f.Stop, Final: f.Final,
		}}, nil
	}
	return abi.BrowserResultOf{Status: w.Code, URL: req.URL.String(), Headers: received(w)}, w.Body.Bytes()
}

func (s *Site) download(r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, *abi.Error) {
	if r.Do == abi.BrowserDownloadArm {
		s.armed = true
		return &abi.BrowserAnswer{}, nil, nil
	}
	n := len(s.files) - 1
	if n < 0 || r.Do == abi.BrowserDownloadRead && r.ID != fmt.Sprint(n) {
		return nil, nil, siteError(abi.CodeBrowserDownload, "there is no such download")
	}
	f := s.files[n]
	if r.Do == abi.BrowserDownloadRead {
		from := min(r.Offset, int64(len(f.Body)))
		return &abi.BrowserAnswer{}, f.Body[from:min(from+r.Length, int64(len(f.Body)))], nil
	}
	sum, size := sha256.Sum256(f.Body), int64(len(f.Body))
	return &abi.BrowserAnswer{ID: fmt.Sprint(n), Name: f.Name, Bytes: &size, SHA256: hex.EncodeToString(sum[:])}, nil, nil
}
