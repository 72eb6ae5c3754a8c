package main

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// The streams.
const (
	streamUser         = "user"
	streamUserStats    = "user_stats"
	streamRepositories = "repositories"
	streamStarred      = "starred"
	streamIssues       = "issues"
	streamPulls        = "pull_requests"
	streamGists        = "gists"
)

const (
	// maxPages bounds one list of one run: 20 000 rows of 100 a page.
	maxPages = 200

	// version is that of the cursors. Raise it when records are built differently: the next
	// run then reads everything anew.
	version = 2
	// formatBefore is the format of a cursor of before it had a version.
	formatBefore = 1

	mediaJSON = "application/vnd.github+json"
	mediaStar = "application/vnd.github.star+json" // a star with its time
)

var provider = api.Provider{Name: "GitHub", Origin: "https://api.github.com", Slot: "token", CycleCode: "_paging_invalid", Explain: explain}

// explain tells a secondary limit from a refusal. GitHub reports it with 429, with 403 and
// Retry-After, or by its message alone.
func explain(resp *sdk.Response) *sdk.Failure {
	v, _ := resp.JSON()
	limited := resp.Header("Retry-After") != "" || resp.Header("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(v.Get("message").View()), "rate limit")
	if resp.Status != 429 && (resp.Status != 403 || !limited) {
		return nil
	}
	return &sdk.Failure{Code: "github_rate_limited", Message: "github_rate_limited", Retryable: true, Hint: "retry_by_runtime"}
}

// The problems that a run reports.
var (
	unreadable = &problems.Kind{
		Reason: "github_shape_changed", Hint: "retry_on_connector_upgrade", Examples: "ids",
		Many: "rows of GitHub's answers did not have the documented form and could not be collected",
		One:  "row of GitHub's answers did not have the documented form and could not be collected",
	}
	capped = &problems.Kind{ // each run may meet it until all is there, and goes on
		Reason: string(abi.ReasonPolicyBudget), Hint: "retry_by_runtime", Plain: "there is more than one run reads; the next run continues from there",
	}
	cappedList = &problems.Kind{
		Reason: reasonPageCap, Hint: "retry_by_runtime",
		Plain: "the list is longer than one run reads; later pages were not collected, and no row counts as deleted",
	}
	hidden = &problems.Kind{
		Reason: "github_organization_sso_required", Hint: "manual_action_required",
		Plain: "an organization hides its part of the list until the token is authorized for its single sign-on; until then no row counts as deleted",
	}
	unfinished = &problems.Kind{
		Reason: reasonIncomplete, Hint: "retry_by_runtime", Plain: "GitHub's search did not finish for some pull requests; the next run searches there again",
	}
	crowded = &problems.Kind{
		Reason: reasonIncomplete, Hint: "not_retriable", Plain: "more pull requests changed within one second than GitHub's search lists",
	}
)

const (
	reasonPageCap    = "github_page_cap_reached"
	reasonIncomplete = "github_search_incomplete"
)

// run is one run.
type run struct {
	*api.Client

	login string // of the token's owner
}

func (r *run) table() api.Table {
	of := func(l list) func(*api.Client) error { return func(*api.Client) error { return r.inventory(l) } }
	streams := []api.Stream{
		{Name: streamRepositories, Collect: of(repositories)},
		{Name: streamStarred, Collect: of(stars)},
		{Name: streamGists, Collect: of(gists)},
		{Name: streamIssues, Collect: r.issues},
		{Name: streamPulls, Lane: r.pulls},
	}
	// The owner's bound may end every run early, so a stream that was never read to its
	// end goes first. Otherwise it would never have its turn.
	slices.SortStableFunc(streams, func(a, b api.Stream) int { return r.order(a.Name) - r.order(b.Name) })
	return api.Table{First: r.user, Hint: api.Consent, Ends: sdk.EndsRun, Streams: streams}
}

// order returns 1 for a stream that an earlier run read to its end, which comes later,
// and 0 for any other.
func (r *run) order(stream string) int {
	v := r.Cursor(stream)
	if v.IsNull() || v.Get("partial").Bool() || v.Get("begun_by").Exists() || v.Get("pending").Len() > 0 {
		return 0
	}
	return 1
}

// request makes the request for a path or a link; tag "" makes it unconditional.
func (r *run) request(at, media, tag string) sdk.Request {
	req := r.Get(at)
	req.Header = map[string]string{"Accept": media, "X-GitHub-Api-Version": "2026-03-10"}
	if tag != "" {
		req.Header["If-None-Match"] = tag
	}
	return req
}

// pages begins to read a list at its first page, or at one that an earlier run has kept. A
// tag makes the request for the first page conditional.
func (r *run) pages(first, media, tag, at string) *api.Pages {
	return r.Pages(api.LinkHeader(func(_ *api.Client, at string) sdk.Request {
		if at == "" {
			return r.request(first, media, tag)
		}
		return r.request(at, media, "")
	}, ""), at)
}

// place reads a stream's cursor. Of the cursors of before, it goes on from those of a list
// that was read to its end.
func (r *run) place(stream string, v cursor.Value) {
	from := r.Cursor(stream)
	before := from.Get("format").Int() == formatBefore && !from.Get("partial").Bool() && from.Get("pending").Len() == 0
	if !cursor.Read(from, version, v) && before {
		cursor.Fill(from, v)
	}
}

// save hands a stream's cursor over, which names the account.
func (r *run) save(stream, slice string, v cursor.Value) error {
	return r.Slice(stream, slice, cursor.Encode(version, r.Account, v))
}

// instant reads a time of the API.
func instant(v jsonvalue.Value) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, v.View())
	return t.UTC(), err == nil
}

// goodTag returns the part of an answer's header that is kept and sent back.
func goodTag(resp *sdk.Response) string {
	tag := resp.Header("ETag")
	for i := range len(tag) {
		if tag[i] < ' ' || tag[i] > '~' || i == 200 {
			return ""
		}
	}
	return tag
}
