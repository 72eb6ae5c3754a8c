package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

const (
	issuesPath = "/issues?filter=all&state=all&sort=updated&direction=asc&per_page=100"
	// issuesOverlap is read again in each run, because the list may lag behind by some
	// seconds.
	issuesOverlap = 5 * time.Minute
)

// issuesPlace is the cursor of the issues.
type issuesPlace struct {
	through time.Time // everything changed before was emitted
	tag     string    // of the question with which the next run begins
	partial bool      // the last page was not read

	recent cursor.Sums // the fingerprints of those of the overlap
}

// Members implements cursor.Value.
func (p *issuesPlace) Members(m *cursor.Members) {
	m.Time("last_updated_at", &p.through)
	m.Text("tag", &p.tag)
	m.Flag("partial", &p.partial)
	m.Sums("recent", &p.recent)
}

// first is the question with which a run begins.
func (p *issuesPlace) first() string {
	if p.through.IsZero() {
		return issuesPath
	}
	return issuesSince(p.through.Add(-issuesOverlap))
}

func issuesSince(t time.Time) string {
	return issuesPath + "&since=" + api.Escape(t.UTC().Format(time.RFC3339))
}

// issues reads issues in the order of their last change, oldest first. It continues
// by that time and not by page number: each answer's last time begins the next query.
// So an issue that changes or vanishes meanwhile moves no other across a page's border,
// and a run that ends early has lost nothing.
func (r *run) issues(*api.Client) error {
	var at issuesPlace
	r.place(streamIssues, &at)
	tally := problems.New(r.Host, streamIssues, unreadable, capped)
	err := r.readIssues(&at, tally)
	if e := tally.Report(); err == nil {
		err = e
	}
	return err
}

func (r *run) readIssues(at *issuesPlace, tally *problems.Tally) error {
	asked, from, met := at.first(), at.through.Add(-issuesOverlap), make(map[string]time.Time)
	pages := r.pages(asked, mediaJSON, at.tag, "")
	for n := 1; pages.Next(); n++ {
		page := pages.Page()
		for it := page.Items.Children(); it.Next(); {
			rec := r.Record(streamIssues)
			key, changed := issueRecord(rec, it.Value())
			if key == "" {
				tally.Note(unreadable, api.NumberID(it.Value().Get("id")))
			}
			sum := rec.Sum()
			before, known := at.recent.Get(key)
			if met[key] = changed; key == "" || known && before == sum && sum != 0 {
				rec.Reset()
				continue
			}
			at.recent.Set(key, sum)
			at.through = laterOf(at.through, changed)
			if err := rec.Emit(); err != nil {
				return err
			}
		}
		if at.tag = ""; n == 1 && page.Next == "" && tally.Count(unreadable) == 0 && at.first() == asked {
			at.tag = goodTag(page.Response)
		}
		at.partial = page.Next != ""
		at.recent.Keep(func(key string) bool {
			changed, ok := met[key]
			return ok && !changed.Before(at.through.Add(-issuesOverlap)) || !ok && at.partial
		})
		if err := r.save(streamIssues, "page."+strconv.Itoa(n), at); err != nil {
			return err
		}
		if err := r.Step("reading issues", -1); err != nil {
			return err
		}
		if page.Next != "" && n == maxPages {
			tally.Note(capped, "")
			return nil
		}
		// One second earlier: since may mean after or from.
		if later := at.through.Add(-time.Second); page.Next != "" && later.After(from) {
			from, pages = later, r.pages(issuesSince(later), mediaJSON, "", "")
		}
	}
	return pages.Err()
}
