package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// inventory is one stream of names. A file's or folder's row is emitted when the row is
// new or of another type, not when size or date change, because those change all the
// time and do not affect which entries exist.
type inventory struct {
	stream, store, reason string
	known                 map[string]string // path hash -> type, of the last run
	now                   map[string]string
	c                     *collection
	changed               bool
}

func (c *collection) newInventory(stream, store, reason string) *inventory {
	inv := &inventory{stream: stream, store: store, reason: reason, c: c, known: map[string]string{}, now: map[string]string{}}
	for it := c.h.Cursor(stream).Get("entries").Children(); it.Next(); {
		inv.known[it.Name().Str()] = it.Value().Str()
	}
	return inv
}

func (k entryKind) word(link bool) string {
	switch {
	case k == kindFolder:
		return "directory"
	case k == kindFile:
		return "file"
	case link:
		return "link"
	}
	return "other"
}

// row emits one entry if it is news.
func (inv *inventory) row(path string, e entry) error {
	sum := sha256.Sum256([]byte(path))
	hash, kind := hexText(sum[:]), e.kind.word(e.link)
	inv.now[hash] = kind
	if inv.known[hash] == kind {
		return nil
	}
	inv.changed = true
	file := e.kind == kindFile
	r := inv.c.h.Record(inv.stream)
	r.String("id", inv.store+":"+hash)
	r.String("store", inv.store)
	r.String("relative_path", path)
	r.String("path_hash", hash)
	r.String("type", kind)
	r.IntOrNull("size_bytes", e.size, file)
	r.IntOrNull("mtime_epoch", e.mtime/1000, file)
	r.String("classification", statusInventory)
	r.String("reason", inv.reason)
	return r.Emit()
}

// finish deletes the rows of vanished entries, provided that everything could be read,
// and stores the rest.
func (inv *inventory) finish(whole bool) error {
	for _, hash := range sortedKeys(inv.known) {
		if inv.now[hash] != "" {
			continue
		}
		if !whole {
			inv.now[hash] = inv.known[hash]
			continue
		}
		inv.changed = true
		if err := inv.c.h.Delete(inv.stream, inv.store+":"+hash); err != nil {
			return err
		}
	}
	if !inv.changed {
		return nil
	}
	b := append(jsonappend.Name([]byte{'{'}, "entries"), '{')
	for _, hash := range sortedKeys(inv.now) {
		b = jsonappend.String(jsonappend.Name(b, hash), inv.now[hash])
	}
	return inv.c.h.State(inv.stream, append(b, "}}"...))
}

// inventoryFolder lists one folder of the home folder and everything below it.
func (c *collection) inventoryFolder(stream, store, name, reason string) error {
	if !c.h.Wants(stream) {
		return nil
	}
	inv := c.newInventory(stream, store, reason)
	for _, e := range c.entries {
		if e.name != name {
			continue
		}
		if err := inv.row(name, e); err != nil {
			return err
		}
		if e.kind != kindFolder || e.link {
			return inv.finish(c.homeListed == listedWhole)
		}
		f := c.home.sub(name)
		state, err := c.walk(f, func(rel string, e entry) error { return inv.row(f.shown(rel), e) })
		if err != nil {
			return err
		}
		return inv.finish(state == listedWhole && c.homeListed == listedWhole)
	}
	return inv.finish(c.homeListed == listedWhole)
}

// inventoryConfig lists the settings files.
func (c *collection) inventoryConfig() error {
	if !c.h.Wants("config_inventory") {
		return nil
	}
	inv := c.newInventory("config_inventory", "config", reasonConfig)
	for _, e := range c.entries {
		for _, name := range configFiles {
			if e.name != name {
				continue
			}
			if err := inv.row(name, e); err != nil {
				return err
			}
		}
	}
	return inv.finish(c.homeListed == listedWhole)
}
