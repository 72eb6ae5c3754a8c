package api

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// Check looks at the JSON of an answer whose status is good, for what says that it failed all
// the same, and returns nil for an answer that is one. A provider's documentation says which
// one is right: GraphQL, OK, Complete, or one of your own. Envelope is that of a Provider
// without one.
type Check func(v jsonvalue.Value) *Refusal

// Refusal is what an answer with a good status says of its own failure.
type Refusal struct {
	Said   string // the provider's words, see package said
	Denied bool   // it accepts no credential of the run
	// Partial: the rows are good, and others are missing. They are taken, but the list does
	// not pass for whole.
	Partial bool
}

// GraphQL refuses an answer with a member errors (GraphQL specification, 7.1), also beside
// data: a field that failed is null, and would pass for one that is gone.
func GraphQL(v jsonvalue.Value) *Refusal {
	errors := v.Get("errors")
	if empty(errors) && !v.Get("data").IsNull() {
		return nil
	}
	r := &Refusal{Said: said.Of(errors)}
	if empty(errors) {
		r.Said = "" // an answer without data
	}
	for it := errors.Children(); it.Next(); {
		r.Denied = r.Denied || it.Value().Get("extensions").Get("code").TextIs("UNAUTHENTICATED")
	}
	return r
}

// denied are Slack's names of an error that no other request would be spared.
var denied = []string{"not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired"}

// OK refuses an answer whose member ok is not true, as Slack's Web API has it.
func OK(v jsonvalue.Value) *Refusal {
	if v.Get("ok").Kind() == jsonvalue.True {
		return nil
	}
	return &Refusal{Said: said.Of(v), Denied: slices.Contains(denied, v.Get("error").Str())}
}

// Complete takes an answer whose member incomplete_results is true for a part of the list, as
// GitHub's search has it.
func Complete(v jsonvalue.Value) *Refusal {
	if v.Get("incomplete_results").Bool() {
		return &Refusal{Partial: true}
	}
	return nil
}

// AnyAnswer is the Check of a provider whose answers have nothing to look for, or members that
// Envelope takes for a failure and are not one.
func AnyAnswer(jsonvalue.Value) *Refusal { return nil }

// empty reports a member that says nothing of a failure.
func empty(v jsonvalue.Value) bool {
	switch v.Kind() {
	case jsonvalue.Array, jsonvalue.Object:
		return v.Len() == 0
	case jsonvalue.String:
		return v.Str() == ""
	case jsonvalue.Number:
		n, whole := v.IntOK()
		return whole && n == 0
	default:
		return v.Kind() != jsonvalue.True
	}
}

// accepted is the status of a request that was taken and not answered yet.
const accepted = 202

// answered returns the JSON of an answer whose status is good and that says no failure of its
// own. list: it is a page of a list. partial: it says that rows are missing.
func (c *Client) answered(resp *sdk.Response, list bool) (v jsonvalue.Value, partial bool, err error) {
	if err := c.Check(resp); err != nil {
		return v, false, err
	}
	if list && resp.Status == accepted {
		return v, false, c.refused(&Refusal{Said: resp.Said()}, accepted)
	}
	if v, err = resp.JSON(); err != nil {
		return v, false, c.Malformed(err.Error())
	}
	check := c.provider.Check
	if check == nil && list {
		check = Envelope
	}
	if check == nil {
		return v, false, nil
	}
	switch r := check(v); {
	case r == nil:
		return v, false, nil
	case r.Partial:
		return v, true, nil
	default:
		return v, false, c.refused(r, resp.Status)
	}
}

// JSON returns the JSON of an answer, such as that of a detail: when its status is good, and
// when Provider.Check has nothing against it.
func (c *Client) JSON(resp *sdk.Response) (jsonvalue.Value, error) {
	v, _, err := c.answered(resp, false)
	return v, err
}

// isPage reports whether an answer is a web page: that of a proxy, a sign-in, or another program. A page
// that says that the server is down or busy is no such one: a later run may find it back.
func isPage(resp *sdk.Response) bool {
	if resp.Status >= 500 || resp.Status == 408 || resp.Status == 425 || resp.Status == 429 {
		return false
	}
	const most = 64
	head := strings.ToLower(strings.TrimSpace(string(resp.Body[:min(len(resp.Body), most)])))
	return strings.HasPrefix(head, "<html") || strings.HasPrefix(head, "<!doctype html") ||
		strings.HasPrefix(head, "<") && strings.Contains(strings.ToLower(resp.Header("Content-Type")), "html")
}

// pageAnswered is the failure for a page in the place of an answer of a server whose address the owner has
// typed. No other key, no later run and no new version gets past it.
func (c *Client) pageAnswered(resp *sdk.Response) error {
	return &sdk.Failure{
		Code: c.ConnectorKey() + "_page_answered", Hint: "manual_action_required", Said: resp.Said(),
		Message: "a web page came in the place of " + c.provider.Name + "'s answer (status " + strconv.Itoa(resp.Status) + ")" + said.Quoted(resp.Said()) +
			"; look whether base_url has the address and the path under which the server itself answers, and have a reverse proxy let its requests through without a sign-in of its own",
	}
}

// refused is the failure for an answer that says with a good status that it failed.
func (c *Client) refused(r *Refusal, status int) error {
	f := &sdk.Failure{
		Code: c.ConnectorKey() + "_answer_failed", Retryable: true, Said: r.Said,
		Message: c.provider.Name + " answered with status " + strconv.Itoa(status) + ", and the answer says that the request failed" + said.Quoted(r.Said),
	}
	if r.Denied {
		f.Code, f.Retryable, f.Hint = c.ConnectorKey()+"_auth_failed", false, "refresh_credentials"
	}
	return f
}

// incomplete is the failure for a list of which the provider says that it is not all of it.
func (c *Client) incomplete() error {
	return &sdk.Failure{
		Code: c.ConnectorKey() + "_list_incomplete", Retryable: true,
		Message: c.provider.Name + " says that its answer to a list is not the whole of it; what came was taken, and nothing counts as gone",
	}
}
