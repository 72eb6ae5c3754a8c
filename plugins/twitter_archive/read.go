package main

import (
	"bytes"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// read reads one file of the archive.
func (r *run) read(f *exports.File) (exports.Outcome, error) {
	r.file, r.item, r.threads, r.happened = f, 0, 0, 0
	if kind := ruleOf(f.Name); kind != "" {
		return exports.Outcome{Fate: exports.Rule, Kind: kind}, nil
	}
	if err := r.lost[f.Place]; err != nil {
		return exports.Outcome{Kind: "other"}, err
	}
	if f.Base() == "tweets.csv" {
		return r.table(f.Text())
	}
	s, err := open(f)
	if err != nil && s.kind == "" {
		return exports.Outcome{Kind: "other"}, err
	}
	stream := s.streamOfKind()
	switch {
	case s.isViewer(f.Name):
		return exports.Outcome{Fate: exports.Rule, Kind: "viewer"}, nil
	case stream != "":
		return r.script(s, stream)
	case s.kind == "note_tweet":
		return exports.Outcome{Fate: exports.Read, Kind: "notes"}, nil
	case strings.HasPrefix(s.kind, "deleted_"):
		return exports.Outcome{Fate: exports.Rule, Kind: "deleted"}, nil
	case others[s.kind], strings.HasPrefix(s.name, "window.__THAR_CONFIG"), descriptions[s.name]:
		return exports.Outcome{Fate: exports.Rule, Kind: "data"}, nil
	}
	return exports.Outcome{Kind: "other"}, nil
}

// descriptions are what the scripts of archives of 2012 to 2017 assign that have no posts:
// https://github.com/alkihis/twitter-archive-reader.
var descriptions = map[string]bool{"var payload_details": true, "var user_details": true, "var tweet_index": true}

// isViewer reports whether a script is one of the page that shows an archive: it lies in a folder of that
// page, and assigns nothing that an archive has. The name of the folder alone does not tell, since a whole
// archive may lie in one of that name.
func (s *script) isViewer(name string) bool {
	if end := strings.ToLower(path.Ext(name)); s.kind != "" && !s.headless || end != ".js" && end != ".json" {
		return false
	}
	data := strings.LastIndex("/"+name, "/data/")
	return data < 0 && strings.Contains("/"+name, "/js/") || inViewer(path.Dir(name[max(data, 0):])+"/")
}

// script reads a file of posts or messages.
func (r *run) script(s script, stream string) (exports.Outcome, error) {
	o := exports.Outcome{Fate: exports.Read, Kind: stream, Of: stream}
	if r.lists[stream] == nil {
		r.meet()
		return o, nil
	}
	before := r.at.Problems.Total()
	in := s.elementsOf(streams[stream].paths...)
	r.conversation = ""
	if stream == streamMessages {
		in.Ended(r.conversationEnds)
	}
	err := exports.Elements(r.h, in.Next, func() error {
		r.item++
		return streams[stream].emit(r, in)
	})
	r.noteLarge(stream, in.Oversized())
	r.at.NoteHalves(r.file, in.Halves())
	if err == nil {
		err = in.Err()
	}
	if err == nil && r.unmet(&s, stream, in.Oversized()) {
		o.Fate, o.Why, o.At = exports.Known, problemStrange, "a list without a known entry"
	} else if missing := r.fewer(stream, in.Oversized()); err == nil && missing != "" {
		o.Fate, o.Why, o.At = exports.Damaged, problemFewer, missing
	}
	if err != nil || o.Fate != exports.Read || r.at.Problems.Total() > before {
		r.hurt[stream] = true
	} else {
		r.meet()
	}
	return o, err
}

// meet notes that the file at hand is there as a whole, as far as it is asked for.
func (r *run) meet() {
	name := r.file.Base()
	r.twice = r.twice || r.whole[name]
	r.whole[name] = true
}

// conversationEnds tells of an entry that is no conversation with an id and a list of messages, which have
// been read where it has them.
func (r *run) conversationEnds(first string, reached uint32) {
	const id, all = 1 << pathConversation, 1<<pathConversation | 1<<pathMessages
	r.conversation = ""
	if reached&id == 0 {
		r.threads++
		r.item++
	}
	switch reached {
	case all:
	case 1 << pathMessages:
		r.said.Items(streamMessages).Unknown("a conversation without an id")
		r.at.Note(problemTalk, r.file.Place, "entry "+strconv.FormatInt(r.item, 10))
	default:
		r.strange(streamMessages, first)
	}
}

// unmet reports whether a file has a list, of which the reader met no entry: the list, or its entries, lie
// under other names than before. The first of these is counted.
func (r *run) unmet(s *script, stream string, oversized int64) bool {
	list := bytes.TrimLeft(s.head[min(len(s.head), bytes.IndexByte(s.head, '=')+1):], " \t\r\n")
	first, opens := bytes.CutPrefix(list, []byte("["))
	empty := opens && bytes.HasPrefix(bytes.TrimLeft(first, " \t\r\n"), []byte("]"))
	if s.headless || oversized > 0 || r.item > 0 || empty { // each entry that was met tells of itself
		return false
	}
	name := "a list without names"
	if _, behind, ok := bytes.Cut(list, []byte(`"`)); ok {
		text, _, _ := bytes.Cut(behind, []byte(`"`))
		name = string(text)
	}
	r.said.Items(stream).KeptBack++
	r.said.Items(stream).Unknown(name)
	return true
}

// fewer compares the file at hand with what the archive says of it, and returns how many of how many
// entries it has; "" where none is missing. An entry of messages is a conversation; where their number is
// that of the messages, it may be what was counted.
func (r *run) fewer(stream string, oversized int64) string {
	said, entries := r.export.counts[r.file.Base()], r.item+oversized
	if stream == streamMessages {
		if n := entries - r.threads; n == said || n-r.happened == said {
			return ""
		}
		entries = r.threads
	}
	if entries >= said {
		return ""
	}
	return strconv.FormatInt(entries, 10) + " entries of " + strconv.FormatInt(said, 10)
}

// table reads the table of posts in an archive of 2012 to 2017. A post that a file of a month has, too, has more there.
func (r *run) table(content io.Reader) (exports.Outcome, error) {
	in := csv.New(content)
	o := exports.Outcome{Fate: exports.Read, Kind: streamTweets}
	if r.lists[streamTweets] == nil {
		return o, nil
	}
	before := r.at.Problems.Total()
	known := true
	r.rows = true
	defer func() { r.rows = false }()
	err := exports.Elements(r.h, func() bool { return known && in.Next() }, func() error {
		if r.item++; r.item == 1 {
			known = in.Has("tweet_id") && in.Has("timestamp") && in.Has("text")
		}
		if !known {
			return nil
		}
		return r.row(in)
	})
	if !known || r.item == 0 && !in.Has("tweet_id") {
		r.hurt[streamTweets] = true
		return exports.Outcome{Kind: "other"}, err
	}
	r.noteLarge(streamTweets, in.Large())
	r.said.Items(streamTweets).KeptBack += in.Damaged()
	if err == nil {
		err = in.Err()
	}
	if err != nil || r.at.Problems.Total() > before {
		r.hurt[streamTweets] = true
	}
	return o, err
}

// note counts the item at hand, one of a stream's, as one with a problem, and leaves it out.
func (r *run) note(stream, code string) {
	r.said.Items(stream).KeptBack++
	r.at.Miss(stream, code, 1, r.file, "entry "+strconv.FormatInt(r.item, 10))
}

// strange counts the item at hand as one of an unknown kind, and leaves it out.
func (r *run) strange(stream, kind string) {
	if kind == "" {
		kind = "an entry without a name"
	}
	r.said.Items(stream).KeptBack++
	r.said.Items(stream).Unknown(kind)
	r.at.Miss(stream, problemStrange, 1, r.file, "entry "+strconv.FormatInt(r.item, 10)+", "+kind)
}

// noteLarge counts items of a stream that are larger than a record may be.
func (r *run) noteLarge(stream string, n int64) {
	r.said.Items(stream).KeptBack += n
	r.at.Miss(stream, problemLarge, n, r.file, "")
}
