package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// keysVersion rises when listed files or rows of coverage get other keys. Records that have earlier ones move.
const keysVersion = 1

// inventories list files without their content.
func (c *collection) inventories() error {
	for i := range stores {
		if s := &stores[i]; s.status == files.StatusInventory && s.stream != "" && c.h.Wants(s.stream) {
			if err := c.inventory(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// inventory lists a store's entries of the home folder, and all that is in them.
func (c *collection) inventory(s *store) error {
	set := files.Open(c.h, s.stream, s.name+":")
	set.Reader(keysVersion)
	of := files.Listed{Store: s.name, Class: files.StatusInventory, Reason: s.reason, Tool: "claude_code"}
	whole := c.home.entries.Listed()
	for _, e := range c.home.entries.Entries {
		if !slices.Contains(s.entries, e.Path) {
			continue
		}
		if err := set.List(of, e); err != nil {
			return err
		}
		if e.Kind != files.Folder || s.name == "config" {
			continue
		}
		if e.Link {
			c.note(linkNotFollowed, c.home.shown(e.Path))
			whole = false
			continue
		}
		f := c.home.sub(e.Path)
		l := c.noted(f, files.Walk{Depth: maxWalkDepth, Most: maxWalkEntries, Times: true}.List(f.fsys, f.base))
		whole = whole && l.Listed()
		for _, inner := range l.Entries {
			inner.Path = f.shown(inner.Path)
			if err := set.List(of, inner); err != nil {
				return err
			}
		}
	}
	return set.Close(whole)
}
