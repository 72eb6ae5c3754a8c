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

// alike tells entries of one list apart that have one key: a list has its entries in the order of their
// times, so those with one time are remembered, and no others.
type alike struct {
	at       time.Time
	keys     map[string]bool
	contents map[uint64]bool // sums of a key and the content of an entry that has it
}

// maxAlike bounds how many entries of one time are remembered.
const maxAlike = 1 << 16

// key returns the key of an entry: its own, or for one whose key an entry of other content has, one of its
// content. It returns "" for a copy, which it counts.
func (a *alike) key(items *accounts.Items, key string, at time.Time, v jsonvalue.Value) string {
	if a.keys == nil || !at.Equal(a.at) || len(a.contents) >= maxAlike {
		a.at, a.keys, a.contents = at, make(map[string]bool), make(map[uint64]bool)
	}
	raw := string(v.Raw())
	sum := fingerprint.Text(fingerprint.Text(fingerprint.Start, key), raw)
	if a.contents[sum] {
		items.Duplicate++
		return ""
	}
	a.contents[sum] = true
	if !a.keys[key] {
		a.keys[key] = true
		return key
	}
	return sha256.ID(key, raw)
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

// placeOf returns where a photo was taken, as it says; nothing for one that does not.
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
