package main

import (
	"io/fs"
	"path"
)

// maxInventory bounds the entries of one inventory.
const maxInventory = 5000

// inventories list files without their content.
func (r *run) inventories() error {
	for i := range stores {
		s := &stores[i]
		if s.status != statusInventory || !r.h.Wants(s.stream) {
			continue
		}
		if err := r.inventory(s); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) inventory(s *store) error {
	set := newItems(r.h, s.stream)
	for _, name := range s.paths {
		info, err := fs.Stat(r.home, name)
		if err != nil {
			if !isNotExist(err) {
				r.problem(problemUnreadable, name)
				set.partial = true
			}
			continue
		}
		if !s.inside || !info.IsDir() {
			if err := r.entry(set, s, name, info); err != nil {
				return err
			}
			continue
		}
		entries, err := fs.ReadDir(r.home, name)
		if err != nil {
			r.problem(problemUnreadable, name)
			set.partial = true
		}
		for _, e := range entries {
			if len(set.now) >= maxInventory {
				set.partial = true
				r.problem(problemTooMany, name)
				break
			}
			inner := path.Join(name, e.Name())
			info, err := fs.Stat(r.home, inner)
			if err != nil {
				r.problem(problemUnreadable, inner)
				set.partial = true
				continue
			}
			if err := r.entry(set, s, inner, info); err != nil {
				return err
			}
		}
	}
	return set.finish(true)
}

// entry emits one row. Size and time are shown but are not part of the fingerprint: a
// history that grows by a line would be a new record every time.
func (r *run) entry(set *items, s *store, name string, info fs.FileInfo) error {
	hash := sha256Hex(name)
	id, kind := s.name+":"+hash, "file"
	if info.IsDir() {
		kind = "directory"
	}
	if !set.changed(id, formatSeed.add(name).add(kind).add(s.reason).sum()) {
		return nil
	}
	rec := r.h.Record(s.stream)
	rec.String("id", id)
	rec.String("store", s.name)
	rec.String("relative_path", name)
	rec.String("path_hash", hash)
	rec.String("type", kind)
	rec.IntOrNull("size_bytes", info.Size(), !info.IsDir())
	rec.IntOrNull("mtime_epoch", info.ModTime().Unix(), !info.IsDir())
	rec.String("classification", s.status)
	rec.String("reason", s.reason)
	return rec.Emit()
}
