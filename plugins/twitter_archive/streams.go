package main

import (
	"math"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// The streams.
const (
	streamTweets   = "tweets"
	streamMessages = "direct_messages"
	streamCoverage = "coverage_diagnostics"
)

// stream is how a value of a file becomes a record.
type stream struct {
	paths []string // in each of its files
	emit  func(r *run, in *jsonstream.Reader) error
}

// The paths in a file of messages.
const (
	pathConversation = iota
	pathMessages
)

var streams map[string]stream

func init() { // emit leads back to streams
	streams = map[string]stream{
		streamTweets:   {[]string{"*"}, (*run).tweet},
		streamMessages: {[]string{"*.dmConversation.conversationId", "*.dmConversation.messages.*"}, (*run).message},
	}
}

// text returns a value that is an id as a text: some archives have numbers.
func text(v jsonvalue.Value) string {
	if v.Kind() == jsonvalue.Number {
		return string(v.Raw())
	}
	return v.Str()
}

// either returns the first of two members that has a text.
func either(v jsonvalue.Value, names ...string) string {
	for _, name := range names {
		if s := text(v.Get(name)); s != "" {
			return s
		}
	}
	return ""
}

// tweet emits one post. Archives of 2018 have it bare, later ones in an object of one member.
func (r *run) tweet(in *jsonstream.Reader) error {
	v, form := in.Value(), ""
	bare := v.Get("created_at").Exists() || v.Get("full_text").Exists() || v.Get("text").Exists()
	if inner := v.Children(); !bare && v.Kind() == jsonvalue.Object && inner.Next() {
		form, v = inner.Name().Str(), inner.Value()
	}
	at, ok := exports.Time(v.Get("created_at"), 1)
	switch {
	case ok:
	case !bare && !v.Get("created_at").Exists() && (form != "tweet" || v.Kind() != jsonvalue.Object):
		r.strange(streamTweets, form)
		return nil
	default:
		r.note(streamTweets, problemTime)
		return nil
	}
	id := either(v, "id_str", "id")
	if id == "" {
		r.note(streamTweets, problemID)
		return nil
	}
	if !v.Get("full_text").Exists() && !v.Get("text").Exists() {
		r.strange(streamTweets, "a post without a text")
		return nil
	}
	for _, name := range []string{"full_text", "text"} {
		r.textless(streamTweets, name, v.Get(name))
	}
	rec := r.post(id, at, either(v, "full_text", "text"), v.Get("truncated").Bool())
	if rec == nil {
		return nil
	}
	rec.Time("created_at", at)
	count(rec, "favorite_count", v.Get("favorite_count"))
	count(rec, "retweet_count", v.Get("retweet_count"))
	rec.StringOrNull("in_reply_to_status_id", either(v, "in_reply_to_status_id_str", "in_reply_to_status_id"))
	rec.StringOrNull("in_reply_to_screen_name", v.Get("in_reply_to_screen_name").Str())
	rec.StringOrNull("lang", v.Get("lang").Str())
	media := v.Get("extended_entities").Get("media").Len() // of several pictures entities has one
	rec.Int("media_count", int64(max(media, v.Get("entities").Get("media").Len())))
	rec.Int("url_count", int64(v.Get("entities").Get("urls").Len()))
	return rec.Emit()
}

// textless tells of a member that is there and has another form than a text.
func (r *run) textless(stream, name string, v jsonvalue.Value) {
	if v.Exists() && v.Kind() != jsonvalue.String && v.Kind() != jsonvalue.Null {
		r.said.Items(stream).Unknown(name + " that is no text")
	}
}

// maxText bounds a text, in bytes, so that its record fits whatever JSON makes of it. X takes 25,000 characters
// in a post, and fewer in a message.
const maxText = 150_000

// post begins the record of a post with its text: the whole one, where an archive has it, and else a mark that it is
// cut. It returns nil for a post that another entry has.
func (r *run) post(id string, at time.Time, text string, cut bool) *sdk.Record {
	key, said := fingerprint.Text(fingerprint.Start, id), text
	if whole, ok := r.notes.of(key, at, text); ok {
		text, cut = whole, false
	} else if _, marked := cutText(text); marked {
		cut = true
	}
	if r.another(streamTweets, key, at, said, cut) {
		return nil
	}
	switch {
	case len(text) > maxText:
		text, cut = clip.Text(text, maxText), true
		r.said.Items(streamTweets).Cut++
	case cut:
		if r.begins++; len(r.begun) < maxBegun {
			r.begun[key] = r.file.Place + ", entry " + strconv.FormatInt(r.item, 10)
		}
	}
	rec := r.h.Record(streamTweets)
	rec.String("id", id)
	rec.StringOrNull("text", text)
	rec.Bool("text_truncated", cut)
	return rec
}

// maxBegun bounds the places of posts whose text is cut that are remembered.
const maxBegun = 1000

// maxMet bounds the ids that are remembered, of each stream.
const maxMet = 1 << 20

// seen is what is remembered of an entry.
type seen struct {
	sum  uint32 // of what it says
	turn uint16 // of its archive
	cut  bool   // its text is
	row  bool   // of a table, which has less than a file of a month
}

// another reports whether the record of the entry at hand stays out, because another entry has its id: one of a newer
// archive, or an earlier one of this archive, which then says something else. A whole text comes in the place of one
// that a newer archive has cut.
func (r *run) another(stream string, key uint64, at time.Time, text string, cut bool) bool {
	if r.met[stream] == nil {
		r.met[stream] = make(map[uint64]seen)
	}
	sum := uint32(fingerprint.Text(fingerprint.Text(fingerprint.Start, text), at.Format(time.RFC3339Nano)))
	before, twice := r.met[stream][key]
	now := seen{sum, uint16(min(r.turn, math.MaxUint16)), cut, r.rows}
	switch {
	case twice && before.turn == now.turn && r.rows && !before.row:
		r.said.Items(stream).Duplicate++
		return true
	case twice && before.turn == now.turn && before.row && !r.rows:
		r.replace(stream, key, before, now)
	case !twice && len(r.met[stream]) < maxMet:
		r.met[stream][key] = now
	case !twice && r.turn > 0: // a newer archive may have it
		r.note(stream, problemMany)
		return true
	case !twice:
	case before.turn == now.turn && before.sum == sum:
	case before.turn == now.turn:
		r.note(stream, problemTwice)
		return true
	case before.cut && !cut:
		r.replace(stream, key, before, now)
	case before.sum == sum:
		r.said.Items(stream).Duplicate++
		return true
	default:
		r.said.Items(stream).Merged++
		return true
	}
	return false
}

// replace has the entry at hand come in the place of one that is known.
func (r *run) replace(stream string, key uint64, before, now seen) {
	if r.met[stream][key] = now; before.cut {
		r.begins--
		delete(r.begun, key)
	}
}

// notInTables are the fields of a post that a table does not have.
var notInTables = []string{"favorite_count", "retweet_count", "in_reply_to_screen_name", "lang", "media_count", "url_count"}

// rowTime is the form of times in a table.
const rowTime = "2006-01-02 15:04:05 -0700"

// row emits a post of a table.
func (r *run) row(in *csv.Reader) error {
	at, err := time.Parse(rowTime, in.Get("timestamp"))
	if err != nil || at.IsZero() {
		r.note(streamTweets, problemTime)
		return nil //nolint:nilerr // it is told
	}
	if in.Get("tweet_id") == "" {
		r.note(streamTweets, problemID)
		return nil
	}
	rec := r.post(in.Get("tweet_id"), at, in.Get("text"), false)
	if rec == nil {
		return nil
	}
	rec.Time("created_at", at)
	rec.StringOrNull("in_reply_to_status_id", in.Get("in_reply_to_status_id"))
	for _, name := range notInTables {
		rec.Null(name)
	}
	return rec.Emit()
}

// count sets a field to a count, which the archive has as a text, and once had as "3.0".
func count(rec *sdk.Record, name string, v jsonvalue.Value) {
	f, err := strconv.ParseFloat(v.View(), 64)
	if v.Kind() == jsonvalue.Number {
		f, err = v.Float(), nil
	}
	rec.IntOrNull(name, int64(f), err == nil && f >= 0 && f < 1<<53)
}

// The entries of a conversation, by their first member: https://github.com/alkihis/twitter-archive-reader.
var (
	messageForms = names("messageCreate welcomeMessageCreate")
	happenings   = names("joinConversation participantsJoin participantsLeave conversationNameUpdate reactionCreate")
)

// message emits one direct message. The conversation's id stands before its messages. An entry of another
// kind is no record; one of a kind that is not known is kept back, since it may be a message.
func (r *run) message(in *jsonstream.Reader) error {
	v := in.Value()
	if in.Path() == pathConversation {
		r.conversation = text(v)
		r.threads++
		return nil
	}
	form := ""
	if it := v.Children(); v.Kind() == jsonvalue.Object && it.Next() {
		form, v = it.Name().Str(), it.Value()
	}
	switch {
	case happenings[form]:
		r.happened++
		r.said.Items(streamMessages).NotRecord++
		return nil
	case !messageForms[form]:
		r.strange(streamMessages, form)
		return nil
	}
	at, ok := exports.Time(v.Get("createdAt"), 1)
	if !ok {
		r.note(streamMessages, problemTime)
		return nil
	}
	id := text(v.Get("id"))
	if id == "" {
		r.note(streamMessages, problemID)
		return nil
	}
	if r.another(streamMessages, fingerprint.Text(fingerprint.Start, id), at, v.Get("text").Str(), false) {
		return nil
	}
	rec := r.h.Record(streamMessages)
	rec.String("id", id)
	rec.StringOrNull("conversation_id", r.conversation)
	rec.StringOrNull("sender_id", text(v.Get("senderId")))
	rec.StringOrNull("recipient_id", text(v.Get("recipientId")))
	rec.Time("created_at", at)
	r.textless(streamMessages, "text", v.Get("text"))
	words := v.Get("text").Str()
	cut := len(words) > maxText
	if cut {
		words = clip.Text(words, maxText)
		r.said.Items(streamMessages).Cut++
	}
	rec.StringOrNull("text", words)
	rec.Bool("text_truncated", r.edits(rec, v.Get("editHistory")) || cut)
	return rec.Emit()
}

// edits sets the earlier texts of a message that was edited, and reports whether one of them is cut.
func (r *run) edits(rec *sdk.Record, history jsonvalue.Value) (cut bool) {
	var list []string
	room := maxText
	for it := history.Children(); it.Next(); {
		words := it.Value().Get("editedText").Str()
		if words == "" {
			r.said.Items(streamMessages).Unknown("an edit without a text")
			continue
		}
		if len(words) > room {
			words, cut = clip.Text(words, room), true
		}
		room -= len(words)
		list = append(list, words)
	}
	if cut {
		r.said.Items(streamMessages).Cut++
	}
	if len(list) > 0 {
		rec.Strings("earlier_texts", list)
	}
	return cut
}
