package main

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

const (
	defaultBase = "https://api.ynab.com/v1"
	slotToken   = "token"
)

// Codes of this connector's failures, in addition to those of sdk.CheckStatus.
const (
	codeMalformed   = "ynab_malformed_response"
	codeRateLimited = "ynab_rate_limited"
	codeAuthFailed  = "ynab_auth_failed"
	codeBaseURL     = "ynab_base_url_invalid"
	codeLapsed      = "ynab_subscription_lapsed"
)

const (
	statusForbidden       = 403
	statusNotFound        = 404
	statusTooManyRequests = 429
)

// client asks the API. The host paces, retries and adds the token.
type client struct {
	h    *sdk.Host
	base string // without a slash at its end
}

// newClient reads the option base_url. An address without a path gets the path of the
// API's version.
func newClient(h *sdk.Host) (*client, error) {
	base := strings.TrimRight(h.Option("base_url"), "/")
	if base == "" {
		return &client{h, defaultBase}, nil
	}
	rest, ok := strings.CutPrefix(base, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(base, "http://")
	}
	if !ok || rest == "" || rest[0] == '/' || !plainAddress(rest) {
		return nil, &sdk.Failure{
			Code: codeBaseURL, Hint: "manual_action_required", Message: "the option base_url is not the address of an API, such as " + defaultBase,
		}
	}
	if !strings.Contains(rest, "/") {
		base += "/v1"
	}
	return &client{h, base}, nil
}

// plainAddress accepts host, port and path as they are written without escapes.
func plainAddress(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && strings.IndexByte("-._~:/[]", c) < 0 {
			return false
		}
	}
	return true
}

// request makes the request for a path below the base.
func (c *client) request(path string) sdk.Request {
	return sdk.Request{URL: c.base + path, Header: map[string]string{"Accept": "application/json"}, Credential: slotToken}
}

// get asks for a path and returns the member data of the answer.
func (c *client) get(path string) (jsonvalue.Value, error) {
	if c.h.Stopping() {
		return jsonvalue.Value{}, sdk.ErrStopped
	}
	resp, err := c.h.Fetch(c.request(path))
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return c.data(resp)
}

// data checks an answer and returns its member data.
func (c *client) data(resp *sdk.Response) (jsonvalue.Value, error) {
	if err := c.check(resp); err != nil {
		return jsonvalue.Value{}, err
	}
	v, err := resp.JSON()
	if err != nil {
		return v, malformed(err.Error())
	}
	if v = v.Get("data"); v.Kind() != jsonvalue.Object {
		return v, malformed("an answer without data")
	}
	return v, nil
}

func (c *client) check(resp *sdk.Response) error {
	err := c.h.CheckStatus(resp)
	switch {
	case err == nil && resp.Status/100 != 2:
		return malformed("an empty answer to an unconditional request")
	case err == nil:
		return nil
	case resp.Status == statusTooManyRequests:
		return &sdk.Failure{Code: codeRateLimited, Message: codeRateLimited, Retryable: true, Hint: "retry_by_runtime"}
	case resp.Status == statusForbidden:
		v, _ := resp.JSON()
		if name := v.Get("error").Get("name"); name.TextIs("subscription_lapsed") || name.TextIs("trial_expired") {
			return &sdk.Failure{
				Code: codeLapsed, Hint: "manual_action_required", Message: "the YNAB subscription has ended, and with it the access to its API (status 403)",
			}
		}
	}
	return err
}

func malformed(what string) error {
	return &sdk.Failure{Code: codeMalformed, Message: "YNAB gave " + what, Retryable: true, Hint: "retry_by_runtime"}
}

// rows asks for a list of a budget. With a knowledge above 0 the answer has the changes
// since, deleted entities included; with 0 it has everything that exists. after is the
// knowledge that the answer reaches, 0 for a list without one.
func (c *client) rows(budget, path, member string, knowledge int64) (rows jsonvalue.Value, after int64, err error) {
	address := "/budgets/" + budget + path
	if knowledge > 0 {
		address += "?last_knowledge_of_server=" + strconv.FormatInt(knowledge, 10)
	}
	data, err := c.get(address)
	if err != nil {
		return jsonvalue.Value{}, 0, err
	}
	if rows = data.Get(member); rows.Kind() != jsonvalue.Array {
		return rows, 0, malformed("an answer without " + member)
	}
	after = data.Get("server_knowledge").Int()
	if after < knowledge {
		// It never goes back; an answer without it must not lose the one reached.
		after = knowledge
	}
	return rows, after, nil
}
