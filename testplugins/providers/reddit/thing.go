package reddit

import (
	"maps"
	"strings"
	"time"
)

// Thing is a post or a comment.
type Thing struct {
	ID        string // without the kind
	Comment   bool
	Subreddit string // default "golang"
	Title     string // of the post, or of the post that was commented on
	Text      string
	Link      string // where a post leads that has no text of its own
	Score     int
	Replies   int
	Created   time.Time
	Overrides map[string]any // members of the rendered thing
}

func (t *Thing) kind() string {
	if t.Comment {
		return "t1"
	}
	return "t3"
}

// Name is the thing's name over all kinds.
func (t *Thing) Name() string { return t.kind() + "_" + t.ID }

// escape is how texts come where raw_json is not asked for.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (t *Thing) render(raw bool) map[string]any {
	text := func(s string) string {
		if raw {
			return s
		}
		return escape.Replace(s)
	}
	sub := t.Subreddit
	if sub == "" {
		sub = "golang"
	}
	m := map[string]any{
		"id": t.ID, "name": t.Name(), "subreddit": sub, "subreddit_id": "t5_2rc7j", "author": "somebody", "score": t.Score, "gilded": 0, "saved": true,
		"created": float64(t.Created.Unix()), "created_utc": float64(t.Created.Unix()), "over_18": false,
	}
	if t.Comment {
		post := "/r/" + sub + "/comments/p" + t.ID + "/a_post/"
		maps.Copy(m, map[string]any{
			"body": text(t.Text), "link_id": "t3_p" + t.ID, "parent_id": "t3_p" + t.ID, "permalink": post + t.ID + "/", "num_comments": t.Replies,
			"link_title": text(t.Title), "link_permalink": "https://www.reddit.com" + post, "link_url": "https://www.reddit.com" + post, "edited": false,
		})
	} else {
		path := "/r/" + sub + "/comments/" + t.ID + "/a_post/"
		maps.Copy(m, map[string]any{
			"title": text(t.Title), "selftext": text(t.Text), "is_self": t.Link == "", "permalink": path, "num_comments": t.Replies, "upvote_ratio": 0.97,
			"url": "https://www.reddit.com" + path, "domain": "self." + sub,
		})
		if t.Link != "" {
			m["url"], m["domain"] = text(t.Link), "example.org"
		}
	}
	maps.Copy(m, t.Overrides)
	return m
}
