package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// stream is what carries a stream, and how a value of it becomes a record.
type stream struct {
	kinds []string // data types of the archive's manifest; the first is in every archive
	paths []string // in each of their files
	emit  func(r *run, in *jsonstream.Reader, found exports.Tally) error
}

var streams = map[string]stream{
	"tweets":          {[]string{"tweets"}, []string{"*.tweet"}, (*run).tweet},
	"direct_messages": {[]string{"directMessages", "directMessagesGroup"}, []string{"*.dmConversation.conversationId", "*.dmConversation.messages.*.messageCreate"}, (*run).message},
}

// tweet emits one post.
func (r *run) tweet(in *jsonstream.Reader, found exports.Tally) error {
	v := in.Value()
	at, ok := exports.Time(v.Get("created_at"), 1)
	if !ok {
		found[problemTime]++
		return nil
	}
	rec := r.h.Record("tweets")
	id := v.Get("id_str")
	if id.IsNull() {
		id = v.Get("id")
	}
	rec.Value("id", id)
	text := v.Get("full_text")
	if text.IsNull() {
		text = v.Get("text")
	}
	rec.StringOrNull("text", text.Str())
	rec.Time("created_at", at)
	count(rec, "favorite_count", v.Get("favorite_count"))
	count(rec, "retweet_count", v.Get("retweet_count"))
	rec.StringOrNull("in_reply_to_status_id", v.Get("in_reply_to_status_id_str").Str())
	rec.StringOrNull("in_reply_to_screen_name", v.Get("in_reply_to_screen_name").Str())
	rec.StringOrNull("lang", v.Get("lang").Str())
	media := v.Get("extended_entities").Get("media").Len() // of several pictures entities has one
	rec.Int("media_count", int64(max(media, v.Get("entities").Get("media").Len())))
	rec.Int("url_count", int64(v.Get("entities").Get("urls").Len()))
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

// message emits one direct message. The conversation's id stands before its messages.
func (r *run) message(in *jsonstream.Reader, found exports.Tally) error {
	v := in.Value()
	if in.Path() == 0 {
		r.conversation = v.Str()
		return nil
	}
	at, ok := exports.Time(v.Get("createdAt"), 1)
	if !ok {
		found[problemTime]++
		return nil
	}
	rec := r.h.Record("direct_messages")
	rec.Value("id", v.Get("id"))
	rec.StringOrNull("conversation_id", r.conversation)
	rec.StringOrNull("sender_id", v.Get("senderId").Str())
	rec.StringOrNull("recipient_id", v.Get("recipientId").Str())
	rec.Time("created_at", at)
	rec.StringOrNull("text", v.Get("text").Str())
	return rec.Emit()
}
