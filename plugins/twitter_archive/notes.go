package main

import (
	"cmp"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
)

// notes are the whole texts of long posts, of which tweets.js has the first 270 characters or so. Their
// ids are no posts': a post has the note of its time whose text begins as its own does.
type notes struct {
	at     map[int64][]*note // by second
	bytes  int
	lost   int64  // that were not read: they are damaged, or beyond the bound
	halves int64  // texts with half of a character
	place  string // of the first file with them
}

type note struct {
	text string
	used bool
}

// maxNotes bounds the texts that are held.
const maxNotes = 24 << 20

// read reads a note-tweet.js.
func (n *notes) read(s script, place string) {
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
		text := v.Get("core").Get("text").Str()
		if !ok || text == "" || n.bytes+len(text) > maxNotes {
			n.lost++
			continue
		}
		n.bytes += len(text)
		n.at[at.Unix()] = append(n.at[at.Unix()], &note{text: text})
	}
	n.lost += in.Oversized() + in.Faults()
	n.halves += in.Halves()
}

func (n *notes) add(other *notes) {
	if n.at == nil {
		n.at = make(map[int64][]*note)
	}
	for at, list := range other.at {
		n.at[at] = append(n.at[at], list...)
	}
	n.place = cmp.Or(n.place, other.place)
	n.bytes, n.lost, n.halves = n.bytes+other.bytes, n.lost+other.lost, n.halves+other.halves
}

// unused counts the notes that no post has taken.
func (n *notes) unused() int64 {
	var count int64
	for _, list := range n.at {
		for _, note := range list {
			if !note.used {
				count++
			}
		}
	}
	return count
}

// of returns the whole text of a post that has a note; false for one without.
func (n *notes) of(at time.Time, text string) (string, bool) {
	begin, _ := cutText(text)
	const near = 2 // seconds, of which the note may be older or younger
	for off := int64(-near); off <= near; off++ {
		for _, note := range n.at[at.Unix()+off] {
			if begins(note.text, begin) {
				note.used = true
				return note.text, true
			}
		}
	}
	return "", false
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
