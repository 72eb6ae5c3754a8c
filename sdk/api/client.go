package api

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Provider is what a connector declares about the API that it asks.
type Provider struct {
	Name   string            // for messages
	Origin string            // the address, without a path; the option base_url replaces it
	Slot   string            // the credential of every request
	Header map[string]string // of every request
	// Below is the path under which a link of the provider must stay; "/" when empty. A
	// base_url may end with it.
	Below string
	// Explain returns the failure for an answer whose status does not say what it means, and
	// nil for any other; nil explains none.
	Explain func(resp *sdk.Response) *sdk.Failure
	// Check looks for a failure in an answer whose status is good, before a list believes that
	// it is empty or at its end; nil is Envelope for lists and AnyAnswer for everything else.
	Check Check
	// CycleCode ends the code for a page that comes twice; "_paging_cycle" when empty.
	CycleCode string
}

// optionBaseURL is the option with another address for the provider. The host refuses a run
// whose base_url is neither the provider's host nor one that the owner has allowed.
const optionBaseURL = "base_url"

// Client asks a provider.
type Client struct {
	*sdk.Host

	// Account is whose data the run collects, for the cursors.
	Account sdk.Account

	provider Provider
	base     string
	own      bool              // the provider is a server of the owner's
	ready    map[string]answer // of Prefetch, by address
	places   places
	said     *accounts.Books // nil: nothing is counted yet
}

// Items returns the counts of the items that were met for a stream (AC-04). Those of which a
// record is emitted, and those that become a gap, count themselves.
func (c *Client) Items(stream string) *accounts.Items {
	if c.said == nil {
		c.said = accounts.Open(c.Host)
	}
	return c.said.Items(stream)
}

// answer is the outcome of a request.
type answer struct {
	resp *sdk.Response
	err  error
}

// New returns the client of a run.
func New(h *sdk.Host, p Provider) *Client {
	c := &Client{Host: h, provider: p, base: strings.TrimRight(p.Origin, "/"), ready: make(map[string]answer)}
	if to := h.Option(optionBaseURL); to != "" {
		c.base = strings.TrimSuffix(strings.TrimRight(to, "/"), strings.TrimRight(p.Below, "/"))
		c.own = p.Origin == ""
	}
	return c
}

// Get is the request for a path of the API, or for a link that the API has given.
func (c *Client) Get(at string) sdk.Request {
	if strings.HasPrefix(at, "/") {
		at = c.base + at
	}
	return sdk.Request{URL: at, Credential: c.provider.Slot, Header: c.provider.Header}
}

// Post is the request that posts JSON to a path of the API.
func (c *Client) Post(path string, body []byte) sdk.Request {
	r := c.Get(path)
	r.Method, r.Body, r.Header = "POST", body, map[string]string{"Content-Type": "application/json"}
	for name, value := range c.provider.Header {
		r.Header[name] = value
	}
	return r
}

// Ask sends a request and returns the JSON of the answer. Any status but 2xx is a failure,
// see sdk.Host.CheckStatus, and so is what Provider.Check refuses. A part of a list is an
// answer.
func (c *Client) Ask(r sdk.Request) (jsonvalue.Value, error) {
	resp, err := c.send(r)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return c.JSON(resp)
}

// Check is sdk.Host.CheckStatus, with what Provider.Explain says, and with a failure for a page in the
// place of an answer of the owner's own server.
func (c *Client) Check(resp *sdk.Response) error {
	if c.own && isPage(resp) {
		return c.pageAnswered(resp)
	}
	err := c.CheckStatus(resp)
	if err != nil && c.provider.Explain != nil {
		if f := c.provider.Explain(resp); f != nil {
			return f
		}
	}
	return err
}

// send is Fetch, with the answer of Prefetch where there is one.
func (c *Client) send(r sdk.Request) (*sdk.Response, error) {
	if got, ok := c.ready[r.URL]; ok && r.Method == "" {
		delete(c.ready, r.URL)
		return got.resp, got.err
	}
	return c.Fetch(r)
}

// Prefetch sends several GET requests at once. The first reading of each takes the answer.
func (c *Client) Prefetch(paths ...string) error {
	asked := 0
	return c.FetchMany(len(paths), func() (sdk.Request, bool) {
		if asked == len(paths) {
			return sdk.Request{}, false
		}
		asked++
		return c.Get(paths[asked-1]), true
	}, func(r sdk.Request, resp *sdk.Response, err error) error {
		if err != nil && EndsRun(err) {
			return err
		}
		c.ready[r.URL] = answer{resp, err}
		return nil
	})
}

// Malformed is the failure for an answer that is not what the API's documentation says.
func (c *Client) Malformed(message string) error {
	return &sdk.Failure{Code: c.ConnectorKey() + "_malformed_response", Message: message, Retryable: true}
}

// cycle is the failure for a page that came before.
func (c *Client) cycle() error {
	code := c.provider.CycleCode
	if code == "" {
		code = "_paging_cycle"
	}
	return &sdk.Failure{Code: c.ConnectorKey() + code, Message: "a list of " + c.provider.Name + " repeats itself: a page came twice", Retryable: true}
}

// foreign is the failure for a link that leads away from the API.
func (c *Client) foreign() error {
	return &sdk.Failure{
		Code: c.ConnectorKey() + "_next_refused", Message: "a list's link to its next page leads away from the API", Hint: "not_retriable",
	}
}

// within reports whether a link stays below the API's path at the address that the run asks.
func (c *Client) within(link string) bool {
	below := c.provider.Below
	if below == "" {
		below = "/"
	}
	return strings.HasPrefix(link, c.base+below) && isAddress(link)
}

// Outcome is what an answer says of the one object that it was asked for.
type Outcome uint8

// The outcomes.
const (
	Later   Outcome = iota // nobody knows yet: no answer, or one that a later run may not get
	Found                  // it is there
	Gone                   // it is not there any more
	Refused                // the provider does not say
	Denied                 // it accepts no credential of the run: no other answer will be better
)

// outcomes is the table of the statuses that mean something else than their class.
var outcomes = map[int]Outcome{
	304: Found,
	401: Denied,
	404: Gone, 410: Gone,
	408: Later, 425: Later, 429: Later,
}

// Of returns the outcome of an answer; nil is Later.
func Of(resp *sdk.Response) Outcome {
	if resp == nil {
		return Later
	}
	if o, listed := outcomes[resp.Status]; listed {
		return o
	}
	switch {
	case resp.Status >= 200 && resp.Status < 300:
		return Found
	case resp.Status >= 500:
		return Later
	default:
		return Refused
	}
}
