package main

import (
	"path"
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// maxInventory bounds the entries of one inventory.
const maxInventory = 5000

// keysVersion rises when things get other keys. Records that have earlier ones move.
const keysVersion = 1

// keysWord begins the fingerprints of the records of this keysVersion: those of earlier ones are emitted again.
const keysWord = "1"

// inventories list files without their content.
func (r *run) inventories() error {
	for i := range stores {
		s := &stores[i]
		if s.status != files.StatusInventory || s.stream == "" || !r.h.Wants(s.stream) {
			continue
		}
		if err := r.inventory(s); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) inventory(s *store) error {
	set := files.Open(r.h, s.stream, "")
	set.Reader(keysVersion)
	list := func(e files.Entry) error {
		if e.Kind == files.Other {
			return nil
		}
		return set.List(files.Listed{Store: s.name, Class: s.status, Reason: s.reason, Tool: "codex"}, e)
	}
	l := files.Walk{Depth: 1, Most: len(s.paths), Times: true, Keep: func(p string, _ bool) bool { return slices.Contains(s.paths, p) }}.List(r.home, ".")
	partial := r.faults(l, ".")
	r.strays(l, rootHome, ".", ".")
	for _, e := range l.Entries {
		if !s.inside || e.Kind != files.Folder {
			if err := list(e); err != nil {
				return err
			}
			continue
		}
		in := files.Walk{Depth: 1, Most: maxInventory, Times: true}.List(r.home, e.Path)
		partial = r.faults(in, e.Path) || partial
		r.strays(in, rootHome, e.Path, e.Path)
		for _, inner := range in.Entries {
			inner.Path = path.Join(e.Path, inner.Path)
			if err := list(inner); err != nil {
				return err
			}
		}
	}
	return set.Close(!partial)
}
