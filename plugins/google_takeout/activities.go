package main

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// activities are those of the file at hand. An activity of YouTube's without an address is a video
// that was removed when the file is a history of videos watched: its name says so in a language
// that is known, or its other entries do, which are videos and no searches.
type activities struct {
	r                *run
	watched          bool // the name says so
	videos, searches int64
	held             []byte // activities without an address, one behind the other
	items            []int64
	ends             []int
}

// maxHeld bounds the activities that wait for the file's end.
const maxHeld = 4 << 20

// isYouTube reports whether the activity's header names it, as it does in every language.
func isYouTube(v jsonvalue.Value) bool { return strings.HasPrefix(v.Get("header").View(), "YouTube") }

// isActivity reports whether an object is an activity. One without a time is told of.
func isActivity(v jsonvalue.Value) bool {
	return v.Get("header").Exists() && (v.Get("time").Exists() || v.Get("title").Exists() && (v.Get("titleUrl").Exists() || v.Get("products").Exists()))
}

// isVideo reports whether an address is that of a video of YouTube.
func isVideo(address string) bool {
	if _, ok := exports.Parameter(address, "/watch", "v"); ok {
		return true
	}
	_, place, _ := strings.Cut(address, "://")
	place, _, _ = strings.Cut(place, "?")
	host, path, _ := strings.Cut(place, "/")
	if host == "youtu.be" {
		return path != ""
	}
	if host != "youtube.com" && !strings.HasSuffix(host, ".youtube.com") {
		return false
	}
	form, id, _ := strings.Cut(path, "/")
	return id != "" && (form == "shorts" || form == "live" || form == "embed" || form == "v")
}

// add takes an activity: a video that was watched, a search, or another one.
func (a *activities) add(v jsonvalue.Value) error {
	address := v.Get("titleUrl").Str()
	query, search := exports.Parameter(address, "/results", "search_query")
	if !search {
		query, search = exports.Parameter(address, "/search", "q")
	}
	video := isVideo(address)
	if !isActivity(v) && !search && !video || address == "" && unknownMembers(v, activityMembers) != nil {
		stream := streamSearches
		if a.watched || isYouTube(v) {
			stream = streamWatched
		}
		a.r.strange(stream, unknownMembers(v, activityMembers))
		return nil
	}
	switch {
	case search:
		a.searches++
		return a.r.search(v, query)
	case video:
		a.videos++
		return a.r.video(v)
	case address == "" && (a.watched || isYouTube(v) && strings.HasPrefix(v.Get("title").View(), "Watched ")):
		return a.r.video(v)
	case address == "" && isYouTube(v) && len(a.held) < maxHeld:
		a.held = append(a.held, v.Raw()...)
		a.ends, a.items = append(a.ends, len(a.held)), append(a.items, a.r.item)
		return nil
	}
	a.r.other(1)
	return nil
}

// close decides on the activities that were held.
func (a *activities) close() error {
	if a.videos == 0 || a.searches > 0 {
		a.r.other(int64(len(a.ends)))
		return nil
	}
	from := 0
	for i, end := range a.ends {
		v, err := a.r.doc.Parse(a.held[from:end])
		from = end
		if err != nil {
			continue // it was parsed before
		}
		a.r.item = a.items[i]
		if err := a.r.video(v); err != nil {
			return err
		}
	}
	return nil
}

// other counts entries of a list of activities that are neither searches nor videos.
func (r *run) other(n int64) {
	if n == 0 {
		return
	}
	r.Items(streamSearches).NotRecord += n
	r.Books.Kinds["other_activities"] += n
}

// activity has an activity emitted under its id. One without a time is noted.
func (r *run) activity(stream string, v jsonvalue.Value, emit emitter) error {
	at, ok := exports.Time(v.Get("time"), 1)
	if !ok {
		r.noteTime(stream)
		return nil
	}
	r.typed(stream, v, jsonvalue.String, "title", "titleUrl", "header")
	r.typed(stream, v, jsonvalue.Array, "subtitles")
	return r.hold(stream, sha256.ID(at.Format(time.RFC3339Nano), v.Get("titleUrl").Str(), v.Get("title").Str()), at, v, emit)
}

func (r *run) search(v jsonvalue.Value, query string) error {
	return r.activity(streamSearches, v, func(id string, at time.Time, v jsonvalue.Value) error {
		rec := r.h.Record(streamSearches)
		rec.String("id", id)
		rec.Time("timestamp", at)
		rec.StringOrNull("query", query)
		rec.StringOrNull("product", v.Get("header").Str())
		return rec.Emit()
	})
}

func (r *run) video(v jsonvalue.Value) error { return r.activity(streamWatched, v, r.watch) }

// watch emits one video under its id.
func (r *run) watch(id string, at time.Time, v jsonvalue.Value) error {
	rec := r.h.Record(streamWatched)
	rec.String("id", id)
	rec.Time("watched_at", at)
	rec.StringOrNull("video_url", v.Get("titleUrl").Str())
	rec.StringOrNull("video_title", videoTitle(v.Get("title").Str()))
	channel := v.Get("subtitles").At(0)
	rec.StringOrNull("channel_name", channel.Get("name").Str())
	rec.StringOrNull("channel_url", channel.Get("url").Str())
	return rec.Emit()
}

// labels reads the labels of a message of Gmail's: separated by commas, and in quotes where a
// label has a comma of its own.
func labels(text string) []string {
	var list []string
	var label []byte
	quoted := false
	end := func() {
		if name := strings.TrimSpace(string(label)); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
		label = label[:0]
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted && i+1 < len(text):
			i++
			label = append(label, text[i])
		case c == '"' && (quoted || len(strings.TrimSpace(string(label))) == 0):
			quoted = !quoted
		case c == ',' && !quoted:
			end()
		default:
			label = append(label, c)
		}
	}
	end()
	return list
}
