package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Failures of this connector's own.
const (
	codeMalformed = "notion_malformed_response"
	codeRepeated  = "notion_cursor_repeated"
)

const (
	origin     = "https://api.notion.com"
	apiVersion = "2022-06-28"
	slot       = "notion"
)

// api sends requests. The host paces and retries them.
type api struct {
	h       *sdk.Host
	base    string
	account sdk.Account
}

func newAPI(h *sdk.Host) *api {
	a := &api{h: h, base: origin}
	if to := h.Option("base_url"); to != "" {
		a.base = strings.TrimRight(to, "/")
	}
	return a
}

// identify asks whose token it is. A workspace keeps its name when the owner makes
// another integration for it. Answers without that name identify the integration.
func (a *api) identify() error {
	if err := a.h.Progress("asking whose token it is", -1, -1, ""); err != nil {
		return err
	}
	if a.h.Stopping() {
		return sdk.ErrStopped
	}
	resp, err := a.h.Fetch(a.get("/v1/users/me"))
	if err != nil {
		return err
	}
	if err := a.h.CheckStatus(resp); err != nil {
		return err
	}
	v, err := resp.JSON()
	bot := v.Get("id").Str()
	if err != nil || bot == "" {
		return malformed("the answer about the token's owner has no id")
	}
	a.account, err = a.h.Account(v.Get("bot").Get("workspace_id").Str(), bot)
	return err
}

// results is one page of a search.
type results struct {
	list       jsonvalue.Value
	next       string // "" on the last page
	incomplete bool   // the index has more than it gives
}

// search asks for one page of objects of a kind, the most recently edited
// first. A refused cursor is errCursor.
func (a *api) search(kind, cursor string) (results, error) {
	body := []byte(`{"page_size":100,"filter":{"property":"object","value":`)
	body = append(jsonappend.String(body, kind), `},"sort":{"direction":"descending","timestamp":"last_edited_time"}`...)
	if cursor != "" {
		body = jsonappend.String(append(body, `,"start_cursor":`...), cursor)
	}
	resp, err := a.h.Fetch(sdk.Request{
		Method: "POST", URL: a.base + "/v1/search", Credential: slot, Body: append(body, '}'),
		Header: map[string]string{"Notion-Version": apiVersion, "Content-Type": "application/json"},
	})
	if err != nil {
		return results{}, err
	}
	if resp.Status == 400 && cursor != "" {
		return results{}, errCursor
	}
	if err := a.h.CheckStatus(resp); err != nil {
		return results{}, err
	}
	return readResults(resp)
}

// errCursor means that the API no longer knows a cursor.
var errCursor = &sdk.Failure{Code: codeMalformed, Message: "Notion refused its own cursor", Retryable: true}

// readResults reads a page of results. Anything else must not pass for an empty page,
// or every object would seem deleted.
func readResults(resp *sdk.Response) (results, error) {
	v, err := resp.JSON()
	if err != nil {
		return results{}, malformed("a search returned " + err.Error())
	}
	list, more, next := v.Get("results"), v.Get("has_more"), v.Get("next_cursor")
	switch {
	case list.Kind() != jsonvalue.Array:
		return results{}, malformed("the answer to a search has no results")
	case more.Kind() != jsonvalue.True && more.Kind() != jsonvalue.False:
		return results{}, malformed("the answer to a search does not say whether there is more")
	case more.Bool() && next.Str() == "":
		return results{}, malformed("the answer to a search has more results, and no cursor to them")
	}
	r := results{list: list}
	if more.Bool() {
		r.next = next.Str()
	}
	if status := v.Get("request_status").Get("type"); status.Exists() {
		r.incomplete = !status.TextIs("complete")
	}
	return r, nil
}

// retrieval is the request for one object.
func (a *api) retrieval(kind, id string) sdk.Request {
	return a.get("/v1/" + kind + "s/" + id)
}

func (a *api) get(path string) sdk.Request {
	return sdk.Request{URL: a.base + path, Credential: slot, Header: map[string]string{"Notion-Version": apiVersion}}
}

func malformed(message string) error {
	return &sdk.Failure{Code: codeMalformed, Message: message, Retryable: true}
}
