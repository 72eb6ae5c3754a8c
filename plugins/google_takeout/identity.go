package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/mbox"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// alike tells entries of one list apart that have one key. A list has its entries in the order of their
// times, so those with one time are held until one of another time comes: only then it is known which of
// their keys are shared. An entry whose key is its own has that; of those that share one, each has a key
// with a sum of its content, whatever their order. Older versions gave the first of them the shared key:
// such a record stays beside the new ones, since nothing else tells of an item that an export lacks.
type alike struct {
	at       time.Time
	raw      []byte // of the held entries, one behind the other
	held     []held
	keys     map[string]int  // of entries with this time, and how many contents each has
	contents map[uint64]bool // sums of a key and the content of an entry that has it
}

// emitter emits an entry under its id.
type emitter func(id string, at time.Time, v jsonvalue.Value) error

// held is an entry that waits for its id.
type held struct {
	stream, key string
	end         int // in raw
	item        int64
	emit        emitter
}

// Bounds on the entries of one time: how many bytes are held, and how many entries are remembered.
const (
	maxAlikeBytes = 4 << 20
	maxAlike      = 1 << 16
)

// hold has an entry emitted when its id is known. A copy of another one is counted and left out.
func (r *run) hold(stream, key string, at time.Time, v jsonvalue.Value, emit emitter) error {
	a := &r.alike
	if !at.Equal(a.at) || len(a.raw) >= maxAlikeBytes {
		if err := r.release(); err != nil {
			return err
		}
	}
	if !at.Equal(a.at) || len(a.contents) >= maxAlike {
		a.at, a.keys, a.contents = at, nil, nil
	}
	a.raw = append(a.raw, v.Raw()...)
	a.held = append(a.held, held{stream, key, len(a.raw), r.item, emit})
	return nil
}

// release emits the entries that are held.
func (r *run) release() error {
	a := &r.alike
	list, from := a.held, 0
	defer func(at int64) { r.item = at }(r.item)
	if len(list) > 1 || a.keys != nil {
		list = a.distinct(r.Items)
	}
	for _, h := range list {
		raw := a.raw[from:h.end]
		from = h.end
		if h.emit == nil { // a copy
			continue
		}
		if a.keys[h.key] > 1 {
			h.key = sha256.ID(h.key, string(raw))
		}
		r.item = h.item
		v, err := r.again.Parse(raw)
		if err != nil {
			continue // it was parsed before
		}
		if err := h.emit(h.key, a.at, v); err != nil {
			return err
		}
	}
	a.raw, a.held = a.raw[:0], a.held[:0]
	return nil
}

// distinct counts the contents of each key, and marks copies by taking their emitter.
func (a *alike) distinct(items func(stream string) *accounts.Items) []held {
	if a.keys == nil {
		a.keys, a.contents = make(map[string]int), make(map[uint64]bool)
	}
	from := 0
	for i := range a.held {
		h := &a.held[i]
		sum := fingerprint.Bytes(fingerprint.Text(fingerprint.Start, h.key), a.raw[from:h.end])
		from = h.end
		if a.contents[sum] {
			items(h.stream).Duplicate++
			h.emit = nil
			continue
		}
		a.contents[sum] = true
		a.keys[h.key]++
	}
	return a.held
}

// photoID names a photo. One in several albums has one address. A photo without an address is its title,
// its times, the number in its file's name, and what its owner wrote of it.
func photoID(file string, v jsonvalue.Value, at time.Time) string {
	if address := v.Get("url").Str(); address != "" {
		return sha256.ID(address)
	}
	title := v.Get("title").Str()
	parts := []string{title, at.Format(time.RFC3339), v.Get("creationTime").Get("timestamp").Str()}
	if number := numberIn(file); number != "" && strings.Count(file, number) > strings.Count(title, number) {
		parts = append(parts, number)
	}
	if text := v.Get("description").Str(); text != "" {
		parts = append(parts, "description", text)
	}
	if place := placeOf(v); place.Exists() {
		for it := place.Children(); it.Next(); {
			parts = append(parts, it.Name().Str(), string(it.Value().Raw()))
		}
	}
	return sha256.ID(parts...)
}

// placeOf returns the part of a photo's place that is in its key; nothing for one that has none there. takenAt has the place.
func placeOf(photo jsonvalue.Value) jsonvalue.Value {
	place := photo.Get("geoData")
	if place.Get("latitude").Float() == 0 && place.Get("longitude").Float() == 0 { // unknown, not the Gulf of Guinea
		return jsonvalue.Value{}
	}
	return place
}

// numberIn returns the last number in parentheses of a name, with them: Takeout numbers the pictures of
// one name in a folder.
func numberIn(name string) string {
	from := strings.LastIndexByte(name, '(')
	if from < 0 {
		return ""
	}
	number, _, closed := strings.Cut(name[from+1:], ")")
	if !closed || number == "" || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return name[from : from+len(number)+2]
}

// messageID names a message of a mailbox: by Gmail's number, which stands in front of "@xxx" in its first
// line, where other programs have the sender. Any other one is its Message-ID, its time and its subject;
// without a Message-ID also who wrote it to whom, and its size.
func messageID(in *mbox.Reader, sender string, received time.Time) string {
	if number, ok := strings.CutSuffix(sender, "@xxx"); ok && number != "" && strings.Trim(number, "0123456789") == "" {
		return number
	}
	id := in.Header("Message-ID")
	parts := []string{id, received.UTC().Format(time.RFC3339), in.Raw("Subject")}
	if id == "" {
		parts = append(parts, in.Raw("From"), in.Raw("To"), strconv.FormatInt(in.Size(), 10))
	}
	return sha256.ID(parts...)
}

// taken has, by a sum of each key that was given, a sum of the content that has it: two items may have one key. An
// item whose key another one has that says something else gets a key with a sum of its content, and the first keeps the
// key alone. Beyond maxTaken, for some 50 MiB, none is remembered.
type taken map[uint64]uint64

const maxTaken = 1 << 21

// own returns the key of an item with that content, and reports whether an earlier one says the same.
func (t taken) own(key string, content uint64) (id string, again bool) {
	sum := fingerprint.Text(fingerprint.Start, key)
	first, met := t[sum]
	if met && first != content {
		key, sum = sha256.ID(key, strconv.FormatUint(content, 16)), fingerprint.Step(sum, content)
		_, met = t[sum]
	}
	if len(t) < maxTaken {
		t[sum] = content
	}
	return key, met
}

// messageSum is a sum of what the record of a message has.
func messageSum(in *mbox.Reader, received time.Time) uint64 {
	sum := fingerprint.Text(fingerprint.Start, received.UTC().Format(time.RFC3339))
	for _, field := range [...]string{
		"X-GM-THRID", "Subject", "From", "To", "Cc", "Bcc", "Reply-To", "Date", "Message-ID", "In-Reply-To", "References", "X-Gmail-Labels", //nolint:misspell // as Gmail spells it
	} {
		sum = fingerprint.Step(fingerprint.Text(sum, in.Raw(field)), 0)
	}
	return fingerprint.Step(fingerprint.Step(sum, uint64(in.Size())), uint64(in.Attachments()))
}
