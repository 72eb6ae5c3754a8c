package oauth

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// mostPushed is the size of a pushed request, in bytes (RD-07).
const mostPushed = 256 << 10

// pushed is what a client asks for (RD-41).
type pushed struct {
	Client   string         `json:"client_id"`
	Details  jsontext.Value `json:"authorization_details"`
	Display  display        `json:"client_display,omitempty"`
	Redirect string         `json:"redirect_uri,omitempty"`
	Response string         `json:"response_type,omitempty"`
	Method   string         `json:"code_challenge_method,omitempty"`
	Code     string         `json:"code_challenge,omitempty"`
	State    string         `json:"state,omitempty"`
	Resource string         `json:"resource,omitempty"`
	Scope    string         `json:"scope,omitempty"`
}

// pushedOf reads it as parameters. Others are passed over (RFC 6749, section 3.1).
func pushedOf(q *wire.Query) (*pushed, error) {
	p := &pushed{
		Client: q.Value("client_id"), Details: jsontext.Value(q.Value("authorization_details")), Display: displayOf(q.Value("client_display")), Redirect: q.Value("redirect_uri"),
		Response: q.Value("response_type"), Method: q.Value("code_challenge_method"), Code: q.Value("code_challenge"), State: q.Value("state"),
		Resource: q.Value("resource"), Scope: q.Value("scope"),
	}
	return p, q.Known()
}

// display is how a client names itself: a text, or the member name of an object, as the public specification has it with
// uri, logo_uri, policy_uri and tos_uri. Those are addresses of the client's own saying, and nothing here shows or asks
// them.
type display string

// UnmarshalJSON reads either form.
func (d *display) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, (*string)(d)); err == nil {
		return nil
	}
	var object struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	*d = display(object.Name)
	return nil
}

// displayOf reads the parameter of a form: a text, or an object as JSON.
func displayOf(text string) display {
	var d display
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Unmarshal([]byte(text), &d) == nil {
		return d
	}
	return display(text)
}

// longestState bounds what is sent back unchanged.
const longestState = 1024

// challenge is an S256 challenge, and verifier what it is made of (RFC 7636).
var (
	challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	verifier  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// ask checks what a client asks for. Only one that is sent back may leave open what it wants.
func (c *call) ask(p *pushed) (*desk.Ask, error) {
	out := &desk.Ask{ClientID: p.Client, Display: string(p.Display), Details: p.Details, From: c.from()}
	if p.Client == "" {
		return nil, wire.Invalid("client_id", "is missing")
	}
	var err error
	if out.Resource, err = c.meant(p.Resource, p.Scope); err != nil {
		return nil, err
	}
	if p.Redirect == "" && p.Response == "" && p.Code == "" && p.Method == "" {
		if len(p.Details) == 0 {
			return nil, wire.Invalid("authorization_details", "is missing")
		}
		return out, nil
	}
	switch {
	case p.Response != responseCode:
		return nil, &wire.Failure{Status: http.StatusBadRequest, Code: "unsupported_response_type", Message: "response_type is not code", Param: "response_type"}
	case p.Method != "S256":
		return nil, wire.Invalid("code_challenge_method", "is not S256")
	case !challenge.MatchString(p.Code):
		return nil, wire.Invalid("code_challenge", "is not the SHA-256 of a verifier")
	case len(p.State) > longestState:
		return nil, wire.Invalid("state", "is longer than 1024 bytes")
	case strings.ContainsFunc(p.State, unicode.IsControl): // RFC 6749, appendix A.5
		return nil, wire.Invalid("state", "has a control character")
	}
	out.Browser = &desk.Browser{Issuer: c.origin(), Redirect: p.Redirect, State: p.State, Challenge: p.Code}
	return out, nil
}

// scopeOpenID is what the example of the public specification asks for, too. It is passed over, as RFC 6749, section 3.3, allows: the
// token's answer has the scope that it has.
const scopeOpenID = "openid"

// meant returns which resource a request is for, and refuses one that is for another host's, or for more
// than there is.
func (c *call) meant(resource, scope string) (kind string, err error) {
	for one := range strings.FieldsSeq(scope) {
		if one != scopeRead && one != scopeOpenID {
			return "", &wire.Failure{Status: http.StatusBadRequest, Code: "invalid_scope", Message: "scope is not " + scopeRead, Param: "scope"}
		}
	}
	return c.resourceOf(resource)
}

// resourceOf returns the resource of this host that an address names, or "" if the client sent no address.
func (c *call) resourceOf(address string) (kind string, err error) {
	switch {
	case address == "":
		return "", nil
	case grant.SameURL(address, c.origin()):
		return desk.ResourceHost, nil
	case grant.SameURL(address, c.origin()+PathMCP):
		return desk.ResourceMCP, nil
	}
	return "", &wire.Failure{Status: http.StatusBadRequest, Code: codeTarget, Message: "resource is not this host's", Param: "resource"}
}

type pushedAnswer struct {
	URI     string `json:"request_uri"`
	Expires int    `json:"expires_in"`
	Page    string `json:"authorization_url"`
}

func (c *call) push() (any, error) {
	body, is, err := wire.ReadBodyOf(c.w, c.r, mostPushed, "application/json", wire.MediaForm)
	if err != nil {
		return nil, err
	}
	p := new(pushed)
	if is == wire.MediaForm {
		p, err = pushedOf(wire.ReadForm(string(body)))
	} else {
		err = wire.Decode(body, p)
	}
	if err != nil {
		return nil, err
	}
	kept, err := c.pushes(p)
	if err != nil {
		return nil, err
	}
	return &pushedAnswer{kept.URI, int(kept.Expires.Seconds()), c.page(kept.URI)}, nil
}

// pushes keeps a request until its owner has decided.
func (c *call) pushes(p *pushed) (*desk.Pushed, error) {
	a, err := c.ask(p)
	if err != nil {
		return nil, err
	}
	if err := c.published(p.Client); err != nil {
		return nil, err
	}
	return c.Desk.Push(c.r.Context(), *a)
}

// elsewhere sends a browser to another page of this host.
type elsewhere string

// authorize sends an owner's browser to the page of a request that was pushed, or that its
// address has (RD-45). Whatever is wrong is told on a page of this host: nobody is sent to an
// address that a stranger wrote before its owner has decided.
func (c *call) authorize() (any, error) {
	q := wire.ReadQuery(c.r.URL.RawQuery)
	if err := c.counts(desk.ProofURI, q.Value("request_uri")); err != nil {
		return nil, err
	}
	if dest := c.r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		return nil, wire.Invalid("", "was not made by opening a page") // an image of another's page asks for nothing
	}
	client, uri := q.Value("client_id"), q.Value("request_uri")
	if uri == "" {
		p, err := pushedOf(q)
		if err != nil {
			return nil, err
		}
		p.Response = cmp.Or(p.Response, "missing") // its owner's browser waits for an answer
		kept, err := c.pushes(p)
		if err != nil {
			return nil, err
		}
		uri = kept.URI
	} else if err := c.Desk.OfClient(c.r.Context(), uri, client); err != nil {
		return nil, err
	}
	return elsewhere(PathBegin + "?request_uri=" + url.QueryEscape(uri)), q.Known()
}

// device is what a device shows, and asks with (RFC 8628, RD-46).
type device struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Page       string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	Expires    int    `json:"expires_in"`
	Interval   int    `json:"interval"`
}

// startDevice has a device wait for its owner.
func (c *call) startDevice() (any, error) {
	q, err := c.form()
	if err != nil {
		return nil, err
	}
	p := &pushed{Client: q.Value("client_id"), Details: jsontext.Value(q.Value("authorization_details")), Display: displayOf(q.Value("client_display")), Resource: q.Value("resource"), Scope: q.Value("scope")}
	if err := q.Known(); err != nil {
		return nil, err
	}
	if p.Client == "" {
		return nil, wire.Invalid("client_id", "is missing")
	}
	resource, err := c.meant(p.Resource, p.Scope)
	if err != nil {
		return nil, err
	}
	if err := c.published(p.Client); err != nil {
		return nil, err
	}
	d, err := c.Desk.StartDevice(c.r.Context(), desk.Ask{ClientID: p.Client, Display: string(p.Display), Details: p.Details, Resource: resource, From: c.from()})
	if err != nil {
		return nil, err
	}
	page := c.origin() + PathDevice
	return &device{d.DeviceCode, d.UserCode, page, page + "?user_code=" + d.UserCode, int(d.Expires.Seconds()), int(desk.DeviceInterval.Seconds())}, nil
}
