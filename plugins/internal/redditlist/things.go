package redditlist

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// The kinds of things.
const (
	kindComment = "t1"
	kindPost    = "t3"
)

// stream is a list of things and what its records have.
type stream struct {
	name     string
	kind     string   // of all its things; "": both
	fields   []string // that are members of a thing by the same name
	volatile []string // likewise, and change all the time
}

var streams = []stream{
	{"submitted", kindPost, []string{"title", "url", "domain", "selftext", "is_self", "over_18"}, []string{"score", "num_comments", "upvote_ratio", "gilded"}},
	{"comments", kindComment, []string{"body", "link_id", "parent_id"}, []string{"score", "gilded"}},
	{"saved", "", nil, nil},
	{"upvoted", "", nil, []string{"score", "num_comments"}},
	{"downvoted", "", nil, []string{"score", "num_comments"}},
	{"hidden", "", nil, []string{"score", "num_comments"}},
}

// has reports whether things of a kind belong into the stream.
func (s stream) has(kind string) bool {
	return kind == s.kind || s.kind == "" && (kind == kindPost || kind == kindComment)
}

// build sets the fields of a record, and returns the fingerprint of those that decide whether
// it is new.
func (s stream) build(r *sdk.Record, kind string, d jsonvalue.Value) (sum uint64) {
	text := d.Get("body")
	if kind == kindPost {
		text = d.Get("selftext")
	}
	r.Copy("id", d.Get("name"))
	r.Copy("subreddit", d.Get("subreddit"))
	r.CopyMembers(d, s.fields...)
	switch s.kind {
	case kindPost:
		setLength(r, "selftext_len", text)
	case kindComment:
		setLength(r, "body_len", text)
		r.Bool("is_top_level", d.Get("parent_id").Str() == d.Get("link_id").Str())
	default:
		r.String("kind", kind)
		r.Bool("is_post", kind == kindPost)
		title, url := d.Get("title"), d.Get("url")
		if kind == kindComment { // those of the post that was commented on
			title, url = d.Get("link_title"), d.Get("link_url")
		}
		r.Copy("title", title)
		r.Copy("body", text)
		setLength(r, "body_len", text)
		r.Copy("url", url)
	}
	setPath(r, d.Get("permalink"))
	setTime(r, d.Get("created_utc"))
	sum = r.Sum()
	r.CopyMembers(d, s.volatile...)
	return sum
}

// setLength counts the characters of a text.
func setLength(r *sdk.Record, name string, text jsonvalue.Value) {
	n := int64(0)
	for range text.Str() {
		n++
	}
	r.IntOrNull(name, n, text.Kind() == jsonvalue.String)
}

// setPath makes an address of a path of the site.
func setPath(r *sdk.Record, path jsonvalue.Value) {
	if strings.HasPrefix(path.Str(), "/") {
		r.String("permalink", "https://www.reddit.com"+path.Str())
		return
	}
	r.Copy("permalink", path)
}

// setTime makes a time of the seconds since 1970. Anything else is the host's to reject.
func setTime(r *sdk.Record, v jsonvalue.Value) {
	if seconds, ok := v.FloatOK(); ok && seconds >= 0 && seconds < 1<<36 {
		r.Time("created_utc", time.Unix(int64(seconds), 0))
		return
	}
	r.Copy("created_utc", v)
}
