package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// The streams. A record of databases is a data source of the API, since version 2025-09-03: a
// database holds one or several, each with columns and rows of its own.
const (
	streamPages     = "pages"
	streamDatabases = "databases"
)

// kinds are the names of the streams' objects, by which search lists them and below which, with
// an s, each is found.
var kinds = map[string]string{streamPages: "page", streamDatabases: "data_source"}

var provider = api.Provider{
	Name: "Notion", Origin: "https://api.notion.com", Slot: "notion", CycleCode: "_cursor_repeated",
	Header: map[string]string{"Notion-Version": "2025-09-03"}, Check: check,
}

// check refuses an error that comes with a good status, as a proxy may send it.
func check(v jsonvalue.Value) *api.Refusal {
	if v.Get("object").TextIs("error") {
		return &api.Refusal{Said: said.Of(v)}
	}
	return nil
}

var table = api.Table{
	Who: "/v1/users/me", IDs: account,
	Streams: []api.Stream{
		{Name: streamDatabases, Collect: func(c *api.Client) error { return newListing(c, streamDatabases).collect() }},
		{Name: streamPages, Collect: func(c *api.Client) error { return newListing(c, streamPages).collect() }},
	},
}

func collect(h *sdk.Host) error { return api.Collect(h, provider, table) }

// account names the workspace of a token. A workspace keeps its name when the owner makes
// another integration for it. Answers without that name identify the integration.
func account(v jsonvalue.Value) []string {
	bot := v.Get("id").Str()
	if bot == "" {
		return nil
	}
	return []string{v.Get("bot").Get("workspace_id").Str(), bot}
}

// search is how the objects of a kind are listed, the most recently edited first.
func search(kind string) api.Pager {
	request := func(c *api.Client, cursor string) sdk.Request {
		body := []byte(`{"page_size":100,"filter":{"property":"object","value":`)
		body = append(jsonappend.String(body, kind), `},"sort":{"direction":"descending","timestamp":"last_edited_time"}`...)
		if cursor != "" {
			body = jsonappend.String(append(body, `,"start_cursor":`...), cursor)
		}
		return c.Post("/v1/search", append(body, '}'))
	}
	return api.Cursor(request, "results", "has_more", "next_cursor")
}

// The problems that a run reports.
var (
	unreadable = &problems.Kind{
		Reason: "notion_result_unreadable", Hint: "retry_on_connector_upgrade",
		Many: "results of the search could not be read", One: "result of the search could not be read",
	}
	property = &problems.Kind{
		Reason: "notion_property_unknown", Hint: "not_retriable", Examples: "types", // the pages are collected
		Many: "properties have types that this connector does not know; their values are null",
		One:  "property has a type that this connector does not know; its value is null",
	}
	incomplete = &problems.Kind{
		Reason: "notion_search_incomplete", Hint: "not_retriable",
		Plain: "the workspace has more objects than Notion's search lists; deleted ones are not looked for",
	}
	lookupRefused = &problems.Kind{
		Reason: "notion_lookup_refused", Hint: "not_retriable",
		Many: "objects are no longer listed, and Notion refuses to look them up: they are kept",
		One:  "object is no longer listed, and Notion refuses to look it up: it is kept",
	}
	unconfirmed = &problems.Kind{
		Reason: "notion_removals_unconfirmed", Hint: "retry_by_runtime",
		Many: "objects are no longer listed; the next runs find out whether they were deleted",
		One:  "object is no longer listed; the next runs find out whether it was deleted",
	}
)
