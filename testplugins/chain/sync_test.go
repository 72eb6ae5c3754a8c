package chain

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/strava"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
)

const token = "chain-token-6b1d"

// options describe a small provider on the clock of the machine.
func options(size int) sample.Options {
	return sample.Options{Seed: 1, Size: size, Now: time.Now, Token: token}
}

// step is a change at the provider and its effect on the next run.
type step struct {
	change  func()
	counts  string            // of the run, all streams that a change may touch
	changed map[string]string // stream and key of a record that changed: a member=value
	gone    map[string]string // stream: key of a record that was deleted
}

// A first run collects everything, a second one nothing, and a third one the changes
// since, with tombstones for the deletions: through the built program, a worker process
// and the export.
func TestChangesArrive(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (http.Handler, map[string]string, map[string]int, step){
		"github": githubChanges, "notion": notionChanges, "reddit": redditChanges, "spotify": spotifyChanges, "strava": stravaChanges, "ynab": ynabChanges,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, variables, want, s := open(t)
			o := newOwner(t, provider, variables)
			first := o.runs(0, name)
			for stream, n := range want {
				if got := live(o.export(name, stream)); got != n || first.Records[stream].New != int64(n) {
					t.Errorf("%s: %d records, %d new ones, want %d", stream, got, first.Records[stream].New, n)
				}
			}
			if t.Failed() {
				t.Fatalf("the first run: %+v", first)
			}
			before := map[string]map[string]exported{}
			for stream := range want {
				before[stream] = o.export(name, stream)
			}
			second := o.runs(0, name)
			if got := second.counts(); got != "0 new, 0 changed, 0 deleted, 0 rejected" {
				t.Errorf("a run without a change: %s %+v, want 0 new, 0 changed, 0 deleted, 0 rejected", got, second.Records)
			}
			s.change()
			o.dayPasses()
			third := o.runs(0, name)
			fourth := o.runs(0, name)
			if got := third.counts(); got != s.counts {
				t.Errorf("after the changes: %s, want %s %+v", got, s.counts, third.Records)
			}
			if got := fourth.counts(); got != "0 new, 0 changed, 0 deleted, 0 rejected" {
				t.Errorf("and once more: %s %+v, want 0 new, 0 changed, 0 deleted, 0 rejected", got, fourth.Records)
			}
			for stream, rows := range before {
				after := o.export(name, stream)
				for key, row := range rows {
					now := after[key]
					if same := now.Seq == row.Seq; same && (now.Deleted || s.changed[stream+" "+key] != "") || now.Key == "" {
						t.Errorf("%s %s: %+v, want a new sequence number if and only if the row changed", stream, key, now)
					}
				}
			}
			for at, member := range s.changed {
				stream, key, _ := cutLast(at)
				row := o.export(name, stream)[key]
				var got []string
				for k, v := range row.Data {
					got = append(got, fmt.Sprint(k, "=", v))
				}
				if row.Deleted || !slices.Contains(got, member) {
					t.Errorf("%s has no %s: %v", at, member, got)
				}
			}
			for stream, key := range s.gone {
				if row := o.export(name, stream)[key]; !row.Deleted || row.Key == "" {
					t.Errorf("%s %s: %+v, want row.Deleted and row.Key not \"\"", stream, key, row)
				}
			}
		})
	}
}

// cutLast cuts "stream key".
func cutLast(at string) (stream, key string, ok bool) {
	for i := range at {
		if at[i] == ' ' {
			return at[:i], at[i+1:], true
		}
	}
	return at, "", false
}

func githubChanges(*testing.T) (http.Handler, map[string]string, map[string]int, step) {
	p := sample.Github(options(6))
	want := map[string]int{"repositories": 6, "starred": 6, "issues": 6, "pull_requests": 6, "gists": 6, "user": 1}
	return p, map[string]string{"GITHUB_TOKEN": token}, want, step{
		change: func() {
			p.Edit(func(d *github.Data) {
				d.Repos[2].Description, d.Repos[2].UpdatedAt = "changed", time.Now()
				d.Pulls[1].Title, d.Pulls[1].UpdatedAt = "changed", time.Now()
				d.Pulls = append(d.Pulls, sample.Pull(50, "new", time.Now()))
				d.Stars = d.Stars[1:]
				d.Gists = d.Gists[:5]
			})
		},
		counts:  "1 new, 2 changed, 2 deleted, 0 rejected",
		changed: map[string]string{"repositories 3": "description=changed"},
		gone:    map[string]string{"starred": "100001", "gists": fmt.Sprintf("%032x", 6)},
	}
}

func notionChanges(*testing.T) (http.Handler, map[string]string, map[string]int, step) {
	p := notion.New(notion.Options{Token: token, Now: time.Now})
	database := p.AddDatabase("", "d", nil)
	row := p.AddRow(database, "row", nil)
	a, b := p.AddPage("a", nil), p.AddPage("b", nil)
	return p, map[string]string{"NOTION_API_TOKEN": token}, map[string]int{"pages": 3, "databases": 1}, step{
		change: func() {
			p.Edit(a, "changed")
			p.Unshare(b)
			p.Trash(row)
			p.AddPage("new", nil)
		},
		counts:  "1 new, 1 changed, 2 deleted, 0 rejected",
		changed: map[string]string{"pages " + a: "title=changed"},
		gone:    map[string]string{"pages": b},
	}
}

func redditChanges(*testing.T) (http.Handler, map[string]string, map[string]int, step) {
	p := sample.Reddit(options(8))
	edited := &reddit.Thing{ID: "edited", Title: "first", Created: time.Now()}
	p.Put("submitted", edited)
	return p, sample.RedditVariables(token), map[string]int{"submitted": 9, "comments": 8, "saved": 8, "upvoted": 8}, step{
		change: func() {
			p.Put("saved", &reddit.Thing{ID: "new", Created: time.Now()})
			p.Take("saved", "t3_saved0003")
			p.Take("upvoted", "t3_upvoted0005")
			p.Change(func() { edited.Text, edited.Score = "changed", 90 })
		},
		counts:  "1 new, 1 changed, 2 deleted, 0 rejected",
		changed: map[string]string{"submitted t3_edited": "selftext=changed"},
		gone:    map[string]string{"saved": "t3_saved0003", "upvoted": "t3_upvoted0005"},
	}
}

func spotifyChanges(*testing.T) (http.Handler, map[string]string, map[string]int, step) {
	o := options(8)
	p := sample.Spotify(o)
	fresh := sample.Track(90)
	return p, sample.SpotifyVariables(token), map[string]int{"playlists": 2, "saved_tracks": 8, "recently_played": 8}, step{
		change: func() {
			p.Save(fresh)
			p.Unsave("track0003")
			p.Unfollow("playlist0000")
			p.Play(&spotify.Play{Track: fresh, At: time.Now()})
		},
		counts: "2 new, 0 changed, 2 deleted, 0 rejected",
		gone:   map[string]string{"saved_tracks": "track0003", "playlists": "playlist0000"},
	}
}

func stravaChanges(*testing.T) (http.Handler, map[string]string, map[string]int, step) {
	p := sample.Strava(options(8))
	fresh := &strava.Activity{ID: 90, Name: "new", Start: time.Now()}
	edited := &strava.Activity{ID: 91, Name: "first", Start: time.Now().Add(-time.Hour)}
	p.Add(edited)
	return p, sample.StravaVariables(token), map[string]int{"activities": 9}, step{
		change: func() {
			p.Add(fresh)
			p.Delete(4)
			p.Change(func() { edited.Name = "changed" })
		},
		counts:  "1 new, 1 changed, 1 deleted, 0 rejected",
		changed: map[string]string{"activities 91": "name=changed"},
		gone:    map[string]string{"activities": "4"},
	}
}

func ynabChanges(*testing.T) (http.Handler, map[string]string, map[string]int, step) {
	p := sample.Ynab(options(10))
	key := fmt.Sprint(sample.Transaction(4, "", time.Time{})["id"])
	gone := fmt.Sprint(sample.Transaction(7, "", time.Time{})["id"])
	return p, map[string]string{"YNAB_PAT": token}, map[string]int{"transactions": 10, "payees": 2, "months": 3}, step{
		change: func() {
			p.Edit(func(all []*ynab.Budget) []*ynab.Budget {
				all[0].Put(ynab.Transactions, ynab.Object{"id": key, "memo": "changed"})
				all[0].Delete(ynab.Transactions, gone)
				all[0].Put(ynab.Transactions, sample.Transaction(80, "new", time.Now()))
				return all
			})
		},
		counts:  "1 new, 1 changed, 1 deleted, 0 rejected",
		changed: map[string]string{"transactions " + key: "memo=changed"},
		gone:    map[string]string{"transactions": gone},
	}
}
