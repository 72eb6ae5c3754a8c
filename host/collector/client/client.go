package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// How much of an answer is read: cursors may be long, and a host that knows no pages
// of them says all at once; the others say little.
const (
	maxAnswer      = 256 << 10
	maxStateAnswer = 32 << 20
)

// Client speaks the device API for one lane. It follows no redirect, so that a
// credential reaches the profile's host and no other.
type Client struct {
	Base   *url.URL
	token  profile.Token // empty: not enrolled yet
	secret profile.Token // what else no error may hold
	http   *http.Client
	now    func() time.Time
}

// New returns a client of the host at base. Before an enrollment the token is empty. A nil
// transport is the system's. The timeout bounds one request and its answer.
func New(base string, token profile.Token, transport http.RoundTripper, now func() time.Time, timeout time.Duration) (*Client, error) {
	u, err := profile.Origin(base)
	if err != nil {
		return nil, err
	}
	if transport == nil {
		transport = systemTransport()
	}
	return &Client{Base: u, token: token, now: now, http: &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// systemTransport is the standard one with a bound on what a header may weigh.
func systemTransport() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if system, ok := http.DefaultTransport.(*http.Transport); ok {
		t = system.Clone()
	}
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}

// call is one request, and what its answer is read into.
type call struct {
	method, path string
	body         []byte
	mediaType    string // "": JSON
	most         int64  // bytes of the answer; 0: maxAnswer
	into         any
}

// do makes one request. Any failure is a *Failure, but for the end of ctx, which
// says nothing of the host.
func (c *Client) do(ctx context.Context, in call) error {
	req, err := c.request(ctx, in)
	if err != nil {
		return err
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return lost(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }()
	most := in.most
	if most == 0 {
		most = maxAnswer
	}
	good := answer.StatusCode >= 200 && answer.StatusCode < 300
	if !good {
		most = maxAnswer
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil && good:
		return lost(ctx, err)
	case !good:
		return c.refusal(answer, text)
	case int64(len(text)) > most:
		return Unbelievable("it is larger than an answer may be")
	}
	if err := json.Unmarshal(text, in.into); err != nil {
		return Unbelievable("it is not the JSON that was expected")
	}
	return nil
}

func (c *Client) request(ctx context.Context, in call) (*http.Request, error) {
	target := c.Base.String() + in.path
	var body io.Reader
	if in.body != nil {
		body = bytes.NewReader(in.body)
	}
	req, err := http.NewRequestWithContext(ctx, in.method, target, body)
	if err != nil {
		return nil, badShape("the request has no address")
	}
	req.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pdpp-local-collector")
	if in.body != nil {
		mediaType := in.mediaType
		if mediaType == "" {
			mediaType = "application/json"
		}
		req.Header.Set("Content-Type", mediaType)
	}
	if !c.token.Empty() {
		req.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	return req, nil
}

// lost is the failure of a request that got no answer. The texts of the network's
// own errors may hold what the other side sent, so only their kind is told.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return Unreachable("timeout", "it did not answer in time")
	}
	f := Unreachable("connection", networkWords(err))
	if plain(err) {
		f.Err.Hint = plainHint
	}
	return f
}
