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
	history          bool // the folder says that its videos were watched
	videos, searches int64
	worded, others   int64   // videos of which words that are known say that they were watched, and those that were not
	asked            []words // around what was searched for, as entries with an address have them
	held             []byte  // activities without an address, or of which the words do not tell, one behind the other
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
	query, search := queryOf(address)
	if search {
		a.learn(v.Get("title").Str(), query)
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
	case video && (a.watched || a.history || isWatched(v)):
		a.videos++
		if isWatched(v) {
			a.worded++
		}
		return a.r.video(v)
	case video && len(a.held) >= maxHeld:
		return a.decide(v)
	case address == "" && strings.HasPrefix(v.Get("title").View(), "Watched ") && (a.watched || isYouTube(v)):
		return a.r.video(v)
	case (video || address == "") && len(a.held) < maxHeld:
		a.held = append(a.held, v.Raw()...)
		a.ends, a.items = append(a.ends, len(a.held)), append(a.items, a.r.item)
		return nil
	case a.watched && isYouTube(v) && isWatched(v) && isControlled(v): // under an address of another form
		return a.r.video(v)
	case !video && a.searched(v.Get("title").Str()) != "":
		a.searches++
		return a.r.search(v, a.searched(v.Get("title").Str()))
	}
	a.r.other()
	return nil
}

// unknownAction is told of an activity with a video of which nothing says that it was watched.
const unknownAction = "something done with a video"

// decide takes an activity with a video whose words do not say that it was watched. A video may have been liked
// or saved as well: where other entries of the file have the words, or another product has it, this was something
// else. Without words that are known, what controls the activity tells; else it is not known.
func (a *activities) decide(v jsonvalue.Value) error {
	header := v.Get("header")
	switch {
	case header.Exists() && !isYouTube(v), a.worded > 0:
		a.others++
		a.r.other()
	case header.Exists() && isControlled(v):
		a.videos++
		return a.r.video(v)
	default:
		a.others++
		a.r.strange(streamWatched, []string{unknownAction})
	}
	return nil
}

// isWatched reports whether the words of an activity say that a video was watched.
func isWatched(v jsonvalue.Value) bool {
	title := v.Get("title").Str()
	return videoTitle(title) != title
}

// isControlled reports whether a history of YouTube's controls an activity: a language leaves the brand as it is.
func isControlled(v jsonvalue.Value) bool {
	for it := v.Get("activityControls").Children(); it.Next(); {
		if strings.Contains(it.Value().Str(), "YouTube") {
			return true
		}
	}
	return false
}

// close decides on the activities that were held: those with an address first, since the others depend on them.
func (a *activities) close() error {
	for _, addressed := range []bool{true, false} {
		from := 0
		for i, end := range a.ends {
			v, err := a.r.doc.Parse(a.held[from:end])
			from = end
			if err != nil || addressed == (v.Get("titleUrl").Str() == "") {
				continue // it was parsed before
			}
			a.r.item = a.items[i]
			switch {
			case addressed:
				err = a.decide(v)
			default:
				err = a.nowhere(v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// unknownWords is told of an activity of YouTube's that has neither an address nor words that are known.
const unknownWords = "something done on YouTube, in words that are not known"

// nowhere takes an activity without an address: a search, by its words, a video that was removed, or another one. An
// advertisement of a page names Google where it comes from, in every language.
func (a *activities) nowhere(v jsonvalue.Value) error {
	title := v.Get("title").Str()
	switch query := a.searched(title); {
	case query != "":
		return a.r.search(v, query)
	case !a.watched && !isYouTube(v):
	case saysWatched(title):
		return a.r.video(v)
	case saysOther(title), isAdvertised(v):
	case a.watched && a.worded == 0, !a.watched && a.videos > 0 && a.searches == 0 && a.others == 0:
		return a.r.video(v)
	default:
		a.r.strange(streamWatched, []string{unknownWords})
		return nil
	}
	a.r.other()
	return nil
}

// isAdvertised reports whether an activity is an advertisement of Google's.
func isAdvertised(v jsonvalue.Value) bool {
	for it := v.Get("details").Children(); it.Next(); {
		if strings.Contains(it.Value().Get("name").Str(), "Google") {
			return true
		}
	}
	return false
}

// other counts an entry of a list of activities that is neither a search nor a video.
func (r *run) other() {
	r.Items(streamSearches).NotRecord++
	r.Books.Kinds["other_activities"]++
}

// activity has an activity emitted under its id. One without a time is noted.
func (r *run) activity(stream string, v jsonvalue.Value, emit emitter) error {
	at, ok := exports.Time(v.Get("time"), 1)
	if !ok {
		r.noteTime(stream)
		return nil
	}
	r.siblings(stream, "", v, activityMembers)
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
