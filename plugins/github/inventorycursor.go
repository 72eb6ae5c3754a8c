package main

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// maxItems is how many records of a list a cursor remembers: 30 bytes each for
// a number, 85 for a gist, so that the cursor stays below 5 MiB.
const maxItems = 60_000

// inventory is the memory of a list in its cursor.
type inventory struct {
	items    map[string]uint64 // fingerprint by key; 0: unknown, or to be emitted anew
	at       time.Time         // when the whole list was last read; zero: never
	pages    int64             // of the list, at that time
	etag     string            // of the list's only page
	headTag  string            // of the first page of the newest ones
	partial  bool              // a read of the list was not finished
	next     string            // where the next run continues: the part of the URL behind the API's origin; "": at the first page
	overflow bool              // items does not contain every row
}

func readInventory(v jsonvalue.Value) inventory {
	inv := inventory{items: make(map[string]uint64)}
	same := v.Get("format").Int() == format
	for it := v.Get("items").Children(); it.Next() && len(inv.items) < maxItems; {
		key := it.Name().Str()
		if !plainID(key) {
			continue
		}
		inv.items[key] = 0
		if same {
			inv.items[key] = uint64(it.Value().Int()) & printMask
		}
	}
	inv.overflow = v.Get("overflow").Bool()
	inv.partial = v.Get("partial").Bool()
	inv.pages = v.Get("pages").Int()
	if next := v.Get("next").Str(); inv.partial && strings.HasPrefix(next, "/") && isAddress(next) {
		inv.next = next
	}
	if same && !inv.partial {
		inv.at, _ = instant(v.Get("inventory_at"))
		inv.etag, inv.headTag = v.Get("etag").Str(), v.Get("head_etag").Str()
	}
	return inv
}

// remembered returns the earlier runs' memory of a list. A full refresh uses only its
// keys: it emits every row again, and rows that the list no longer has get a tombstone
// as in any other run, or stay remembered for a later one.
func (r *run) remembered(stream string) inventory {
	if r.h.Mode() != abi.ModeFullRefresh {
		return readInventory(r.h.Cursor(stream))
	}
	inv := inventory{items: readInventory(r.h.Previous(stream)).items}
	for key := range inv.items {
		inv.items[key] = 0
	}
	return inv
}

// encode appends the members of the cursor.
func (inv *inventory) encode(b []byte) []byte {
	if !inv.at.IsZero() {
		b = jsonappend.Time(jsonappend.Name(b, "inventory_at"), inv.at)
	}
	b = jsonappend.Int(jsonappend.Name(b, "pages"), inv.pages)
	if goodTag(inv.etag) {
		b = jsonappend.String(jsonappend.Name(b, "etag"), inv.etag)
	}
	if goodTag(inv.headTag) {
		b = jsonappend.String(jsonappend.Name(b, "head_etag"), inv.headTag)
	}
	if inv.partial {
		b = jsonappend.Bool(jsonappend.Name(b, "partial"), true)
		if inv.next != "" {
			b = jsonappend.String(jsonappend.Name(b, "next"), inv.next)
		}
	}
	if inv.overflow {
		b = jsonappend.Bool(jsonappend.Name(b, "overflow"), true)
	}
	b = append(jsonappend.Name(b, "items"), '{')
	for _, key := range inv.keys() {
		b = jsonappend.Uint(jsonappend.Name(b, key), inv.items[key])
	}
	return append(b, '}')
}

// keys lists the items in an order that does not depend on a map's.
func (inv *inventory) keys() []string {
	keys := make([]string, 0, len(inv.items))
	for key := range inv.items {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// put remembers an item, unless there is no room for a new one.
func (inv *inventory) put(key string, sum uint64) {
	if _, known := inv.items[key]; !known && len(inv.items) >= maxItems {
		inv.overflow = true
		return
	}
	inv.items[key] = sum
}
