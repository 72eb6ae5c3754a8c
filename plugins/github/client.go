package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

const (
	defaultBase = "https://api.github.com"
	apiVersion  = "2022-11-28"
	slotToken   = "token"

	mediaJSON = "application/vnd.github+json"
	mediaStar = "application/vnd.github.star+json" // a star with its time
)

// Codes of this connector's failures, in addition to those of sdk.CheckStatus.
const (
	codeMalformed   = "github_malformed_response"
	codeRateLimited = "github_rate_limited"
	codePaging      = "github_paging_invalid"
	codeAuthFailed  = "github_auth_failed"
	codeForbidden   = "github_http_403"
	codeBaseURL     = "github_base_url_invalid"
	codeAccount     = "github_account_changed"
)

// client asks the API. The host paces, retries and adds the token.
type client struct {
	h      *sdk.Host
	base   string // without a slash at its end
	origin string // scheme, host and port of base: links may lead nowhere else
}

// newClient reads the option base_url, for GitHub Enterprise Server and for
// simulated providers.
func newClient(h *sdk.Host) (*client, error) {
	base := strings.TrimRight(h.Option("base_url"), "/")
	if base == "" {
		base = defaultBase
	}
	origin := originOf(base)
	if origin == "" || !isAddress(base) || strings.ContainsAny(base, "?@") {
		return nil, &sdk.Failure{
			Code: codeBaseURL, Hint: "manual_action_required",
			Message: "the option base_url is not the address of an API, such as https://github.example.org/api/v3",
		}
	}
	return &client{h: h, base: base, origin: origin}, nil
}

// originOf returns the scheme, host and port that a URL begins with, "" when it
// is not http or https.
func originOf(url string) string {
	for _, scheme := range []string{"https://", "http://"} {
		rest, ok := strings.CutPrefix(url, scheme)
		if !ok {
			continue
		}
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			rest = rest[:end]
		}
		if rest == "" || strings.ContainsAny(rest, "@\\ \t\r\n") {
			return ""
		}
		return scheme + rest
	}
	return ""
}

// request makes the request for url; etag "" makes it unconditional.
func (c *client) request(url, media, etag string) sdk.Request {
	header := map[string]string{"Accept": media, "X-GitHub-Api-Version": apiVersion}
	if etag != "" {
		header["If-None-Match"] = etag
	}
	return sdk.Request{URL: url, Header: header, Credential: slotToken}
}

// get sends a request and checks the answer. The Value is the body. A 304, which only a
// request with an etag can get, has none.
func (c *client) get(url, media, etag string) (*sdk.Response, jsonvalue.Value, error) {
	if c.h.Stopping() {
		return nil, jsonvalue.Value{}, sdk.ErrStopped
	}
	resp, err := c.h.Fetch(c.request(url, media, etag))
	if err != nil {
		return nil, jsonvalue.Value{}, err
	}
	if err := c.check(resp); err != nil {
		return nil, jsonvalue.Value{}, err
	}
	if resp.Status == statusNotModified {
		if etag == "" {
			return nil, jsonvalue.Value{}, malformed("an empty answer to an unconditional request")
		}
		return resp, jsonvalue.Value{}, nil
	}
	v, err := resp.JSON()
	if err != nil {
		return nil, v, malformed(err.Error())
	}
	return resp, v, nil
}

const (
	statusNotModified     = 304
	statusForbidden       = 403
	statusNotFound        = 404
	statusGone            = 410
	statusTooManyRequests = 429
)

// check returns nil for a usable answer. GitHub reports a secondary limit with 429,
// with 403 and Retry-After, or by its message alone.
func (c *client) check(resp *sdk.Response) error {
	err := c.h.CheckStatus(resp)
	if err == nil {
		return nil
	}
	if resp.Status == statusTooManyRequests || resp.Status == statusForbidden && limited(resp) {
		return &sdk.Failure{Code: codeRateLimited, Message: codeRateLimited, Retryable: true, Hint: "retry_by_runtime"}
	}
	return err
}

func limited(resp *sdk.Response) bool {
	if resp.Header("Retry-After") != "" || resp.Header("X-RateLimit-Remaining") == "0" {
		return true
	}
	v, err := resp.JSON()
	return err == nil && strings.Contains(strings.ToLower(v.Get("message").View()), "rate limit")
}

func malformed(what string) error {
	return &sdk.Failure{Code: codeMalformed, Message: "GitHub gave " + what, Retryable: true, Hint: "retry_by_runtime"}
}

// escape writes text as a value of a query.
func escape(text string) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(text)+16)
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~' {
			out = append(out, c)
			continue
		}
		out = append(out, '%', hex[c>>4], hex[c&15])
	}
	return string(out)
}
