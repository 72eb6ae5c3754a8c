package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
	trial.Worded(t, manifest, "reddit_item_unreadable", "reddit_list_cut_off", "reddit_auth_failed", "reddit_http_403", "reddit_malformed_response", "reddit_paging_cycle", "reddit_account_changed", blocked)
}

var schemas = trial.SchemasOf(manifest)

var credentials = map[string]bool{"client_id": true, "client_secret": true, "refresh_token": true, "access_token": true}

// account is a simulated account and the runs on it.
type account struct {
	*reddit.Provider
	*trial.Account
}

func newAccount(change ...func(*reddit.Options)) *account {
	a := &account{Account: trial.NewAccount(connector{}, schemas, credentials)}
	o := reddit.Options{Now: a.Now}
	for _, c := range change {
		c(&o)
	}
	a.Provider = reddit.New(o)
	a.At(a.Provider)
	return a
}

// furnished is an account with a little of everything, and n saved things more.
func furnished(n int, change ...func(*reddit.Options)) *account {
	a := newAccount(change...)
	a.Put("submitted", post("p1"), post("p2"))
	a.Put("comments", comment("c1"), comment("c2"))
	a.Put("saved", post("p1"), comment("c9"))
	a.Put("upvoted", post("p3"))
	a.Put("hidden", post("p4"))
	a.save(0, n)
	return a
}

// save saves n posts, numbered from first.
func (a *account) save(first, n int) {
	for i := range n {
		a.Put("saved", post(fmt.Sprint("s", first+i)))
	}
}

func post(id string) *reddit.Thing {
	return &reddit.Thing{ID: id, Title: "Title of " + id, Text: "Größe <b> & " + id, Score: 7, Replies: 2, Created: sdktest.Epoch.Add(-time.Hour)}
}

func comment(id string) *reddit.Thing {
	c := post(id)
	c.Comment = true
	return c
}

// changes lists what a run changes at the host, by stream and key, tombstones with a minus.
func changes(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.Changes() {
		key := r.Stream + " " + r.Key
		if r.Delete {
			key = "-" + key
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}
