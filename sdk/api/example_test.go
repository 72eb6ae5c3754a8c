package api_test

import (
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// inTest stands in for the *testing.T of a connector's own test.
type inTest struct{ testing.TB }

func (inTest) Helper()                           {}
func (inTest) Logf(string, ...any)               {}
func (inTest) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func example(service answers, c func(h *sdk.Host) error) *sdktest.Result {
	return sdktest.Collect(inTest{}, connector(c), sdktest.Options{Provider: service, Credentials: map[string]bool{"token": true}})
}

// A stream that is one list. The host deletes the records that the list no longer has.
func ExampleList() {
	notes := api.List{
		Name: "notes", Pager: api.NextLink("/v1/notes", "items", "next"),
		Row: func(r *sdk.Record, v jsonvalue.Value) {
			r.Copy("id", v.Get("id"))
			r.Copy("text", v.Get("text"))
		},
	}
	collect := func(h *sdk.Host) error { // the connector's Collect
		return api.Collect(h, provider, api.Table{Streams: []api.Stream{notes.Stream()}})
	}

	service := answers{
		"/v1/notes":     `{"items": [{"id": "a", "text": "milk"}], "next": "https://api.notes.example/v1/notes?p=2"}`,
		"/v1/notes?p=2": `{"items": [{"id": "b", "text": "tea"}], "next": null}`,
	}
	run := example(service, collect)
	fmt.Println(run.Keys("notes"))
	service["/v1/notes?p=2"] = `{"items": [], "next": null}`
	for _, c := range run.SecondRun(inTest{}, nil).Changes() {
		fmt.Println(c.Key, "deleted:", c.Delete)
	}
	// Output:
	// [a b]
	// b deleted: true
}

// A list that names its records alone: each is fetched once, and again when its time is
// another one.
func ExampleList_details() {
	notes := api.List{
		Name: "notes", Pager: api.OnePage("/v1/notes", "items"),
		Detail: func(row jsonvalue.Value) sdk.Detail {
			return sdk.Detail{Key: []string{row.Get("id").Str()}, UpdatedAt: row.Get("at").Str()}
		},
		Path: func(key []string) string { return "/v1/notes/" + key[0] },
		Row:  func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) },
	}
	collect := func(h *sdk.Host) error { // the connector's Collect
		return api.Collect(h, provider, api.Table{Streams: []api.Stream{notes.Stream()}})
	}

	service := answers{"/v1/notes": `{"items": [{"id": "a", "at": "2026-01-01"}, {"id": "b", "at": "2026-01-02"}]}`, "/v1/notes/a": `{"id": "a"}`, "/v1/notes/b": `{"id": "b"}`}
	first := example(service, collect)
	fmt.Println(len(first.Requests), "requests")
	service["/v1/notes"] = `{"items": [{"id": "a", "at": "2026-01-03"}, {"id": "b", "at": "2026-01-02"}]}`
	for _, r := range first.SecondRun(inTest{}, nil).Requests {
		fmt.Println(r.URL)
	}
	// Output:
	// 3 requests
	// https://api.notes.example/v1/notes
	// https://api.notes.example/v1/notes/a
}

// A list in the way of Slack's: rows and cursor lie deeper in the answer.
func ExampleClient_Pages() {
	collect := func(h *sdk.Host) error { // the connector's Collect
		c := api.New(h, provider)
		pages := c.Pages(api.Cursor(func(c *api.Client, cursor string) sdk.Request {
			return c.Get("/v1/history?cursor=" + cursor)
		}, "/data/messages", "", "/response_metadata/next_cursor"), "")
		for pages.Next() {
			fmt.Println(pages.Page().Items.Len(), "messages")
		}
		return pages.Err()
	}

	example(answers{
		"/v1/history?cursor=":  `{"data": {"messages": [{}, {}]}, "response_metadata": {"next_cursor": "x"}}`,
		"/v1/history?cursor=x": `{"data": {"messages": [{}]}, "response_metadata": {"next_cursor": ""}}`,
	}, collect)
	// Output:
	// 2 messages
	// 1 messages
}
