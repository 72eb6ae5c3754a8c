package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
)

// notes are the whole texts of long posts, of which tweets.js has the first 270 characters or so. Their
// ids are no posts': a post has the note of its time whose text begins as its own does.
type notes struct {
	at     map[int64][]*note // by second
	room   *room
	lost   int64  // that were not read: they are damaged, or beyond the bound
	halves int64  // texts with half of a character
	place  string // of the first file with them
}

type note struct {
	id, text string
	post     uint64 // the sum of the id of the post that it belongs to; 0: none was found
}

// Bounds on the notes that a run holds.
const (
	maxNotes   = 24 << 20 // bytes, of all archives together
	noteBytes  = 192      // that one takes beside its text
	noteSecond = 100      // of one second
)

// room is what a run has left for notes. A text that several archives have is held once.
type room struct {
	left  int
	texts map[string]string
}

// take returns the text as it is held; false: there is no room for another one.
func (r *room) take(text string) (held string, ok bool) {
	held, known := r.texts[text]
	size := noteBytes
	if !known {
		held, size = text, noteBytes+len(text)
	}
	if size > r.left {
		return "", false
	}
	if r.texts == nil {
		r.texts = make(map[string]string)
	}
	r.left -= size
	r.texts[held] = held
	return held, true
}

// read reads a note-tweet.js. Its error is why it was not read to its end.
func (n *notes) read(s script, place string) error {
	n.place = cmp.Or(n.place, place)
	if n.at == nil {
		n.at = make(map[int64][]*note)
	}
	in := jsonstream.New(s.whole, "*.noteTweet")
	in.SkipPast('=')
	in.Ended(func(_ string, reached uint32) { // what lies under another name
		if reached == 0 {
			n.lost++
		}
	})
	for in.Next() {
		v := in.Value()
		at, ok := exports.Time(v.Get("createdAt"), 1)
		words := v.Get("core").Get("text").Str()
		if ok = ok && words != "" && len(n.at[at.Unix()]) < noteSecond; ok {
			words, ok = n.room.take(words)
		}
		if !ok {
			n.lost++
			continue
		}
		n.at[at.Unix()] = append(n.at[at.Unix()], &note{id: text(v.Get("noteTweetId")), text: words})
	}
	n.lost += in.Oversized() + in.Faults()
	n.halves += in.Halves()
	return in.Err()
}

// add takes in the notes of a part, or of an older archive, that are not there yet.
func (n *notes) add(other *notes) {
	if n.at == nil {
		n.at = make(map[int64][]*note)
	}
	for at, list := range other.at {
		for _, more := range list {
			known := slices.ContainsFunc(n.at[at], func(x *note) bool { return x.text == more.text && (x.id == more.id || x.id == "" || more.id == "") })
			switch {
			case known:
			case len(n.at[at]) == noteSecond:
				n.lost++
			default:
				n.at[at] = append(n.at[at], more)
			}
		}
	}
	n.place = cmp.Or(n.place, other.place)
	n.lost, n.halves = n.lost+other.lost, n.halves+other.halves
}

// of returns the whole text of a post, by the sum of its id; false if it has no note, or if two say different things
// and may both be its own. A note belongs to one post.
func (n *notes) of(post uint64, at time.Time, text string) (string, bool) {
	begin, _ := cutText(text)
	const near = 2 // seconds, of which the note may be older or younger
	var found *note
	for off := int64(-near); off <= near; off++ {
		for _, note := range n.at[at.Unix()+off] {
			switch {
			case note.post != 0 && note.post != post, !begins(note.text, begin):
			case found == nil, note.post == post:
				found = note
			case found.post == 0 && found.text != note.text:
				return "", false
			}
		}
	}
	if found == nil {
		return "", false
	}
	found.post = post
	return found.text, true
}

// texts emits the whole texts of long posts that no post has, each as a record of its own, and notes what was found of
// long posts.
func (r *run) texts() error {
	n, without := &r.notes, int64(0)
	if n.lost > 0 {
		r.hurt[streamTweets] = true
	}
	times := make([]int64, 0, len(n.at))
	for at := range n.at {
		times = append(times, at)
	}
	slices.Sort(times)
	for _, at := range times {
		for _, note := range n.at[at] {
			switch {
			case note.post != 0 || r.lists[streamTweets] == nil:
				continue
			case note.id == "":
				without++
				continue
			}
			text, cut := clip.Text(note.text, maxText), len(note.text) > maxText
			if cut {
				r.said.Items(streamTweets).Cut++
			}
			rec := r.h.Record(streamTweets)
			rec.String("id", "note:"+note.id)
			rec.String("text", text)
			rec.Bool("text_truncated", cut)
			rec.Time("created_at", time.Unix(at, 0).UTC())
			rec.Null("in_reply_to_status_id")
			for _, name := range notInTables {
				rec.Null(name)
			}
			if err := rec.Emit(); err != nil {
				return err
			}
		}
	}
	r.books.Problems.Note(exports.HalfCharacters, n.halves, n.place)
	r.books.Problems.Note(problemNote, n.lost, n.place)
	r.books.Problems.Note(problemOrphan, without, n.place)
	begun := ""
	for _, place := range r.begun {
		if begun == "" || place < begun {
			begun = place
		}
	}
	r.books.Problems.Note(problemBegin, r.begins, begun)
	return nil
}

// leastBegin is how much of two texts has to be the same; shorter ones say little.
const leastBegin = 20

// begins reports whether a note's text begins as a post's does, without the names that X puts
// before an answer, and with the characters that it writes as entities.
func begins(note, begin string) bool {
	plain := strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")
	note, begin = plain.Replace(note), plain.Replace(begin)
	for {
		if (len(begin) >= leastBegin || begin == note) && strings.HasPrefix(note, begin) {
			return true
		}
		name, rest, ok := strings.Cut(begin, " ")
		if !ok || !strings.HasPrefix(name, "@") {
			return false
		}
		begin = rest
	}
}

// cutText returns a post's text without the mark of a cut and the address behind it, and whether it
// has one.
func cutText(text string) (begin string, cut bool) {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "https://t.co/"); i >= 0 && !strings.Contains(text[i:], " ") {
		if front := strings.TrimSpace(text[:i]); strings.HasSuffix(front, "…") {
			text = front
		}
	}
	if front, ok := strings.CutSuffix(text, "…"); ok {
		return strings.TrimSpace(front), true
	}
	return text, false
}
