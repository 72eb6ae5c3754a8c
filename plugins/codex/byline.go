package main

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

const (
	// maxLooked bounds the files of other names that are looked into in one run.
	maxLooked = 1000
	// lookedAt is how much of one is read: Codex's instructions, which its first line has, are in it.
	lookedAt = 128 << 10
)

// byContent tells a file whose name says nothing by its first lines. A second rollout of a session is a copy: which
// of them counts, nothing says, so it is not understood.
func (r *run) byContent(f *rolloutFile, unpacked fs.FS, sessions map[string]bool) fate {
	as, root := fateRollout, f.root
	if strings.HasSuffix(f.name, zstd.Suffix) && !r.isPlain(f) {
		as, root = fatePacked, unpacked
	}
	if before := r.before.files[f.path]; before != nil && before.session != "" {
		return as
	}
	if r.looked >= maxLooked {
		return fateUnknown
	}
	r.looked++
	head, err := files.Read(root, f.name, lookedAt)
	if err != nil {
		return fateUnknown
	}
	id, ok := rolloutIn(head)
	if !ok || sessions[id] {
		return fateUnknown
	}
	sessions[id] = true
	return as
}

// rolloutIn reports whether a text begins like a rollout, with the session that its meta names.
func rolloutIn(head []byte) (session string, ok bool) {
	var doc jsonvalue.Doc
	for line := range bytes.Lines(head) {
		line = bytes.Trim(line, "\x00\ufeff \t\r\n")
		v, err := doc.Parse(line)
		if err != nil || v.Kind() != jsonvalue.Object {
			continue
		}
		kind := v.Get("type")
		switch {
		case isEnvelope(v) && kind.TextIs("session_meta"):
			return strings.Clone(v.Get("payload").Get("id").Str()), true
		case isEnvelope(v) && (kind.TextIs("response_item") || kind.TextIs("event_msg") || kind.TextIs("turn_context")):
			ok = true
		case !kind.Exists() && v.Get("id").Kind() == jsonvalue.String && !timestamp(v.Get("timestamp")).IsZero():
			return strings.Clone(v.Get("id").Str()), true
		case !v.Get("payload").Exists() && slices.ContainsFunc(itemTypes, kind.TextIs) && (v.Get("role").Exists() || v.Get("call_id").Exists()):
			ok = true
		}
	}
	return "", ok
}

// unnamed is a file among the rollouts whose name says nothing.
type unnamed struct {
	file     rolloutFile
	unpacked fs.FS
}

// takeUnnamed takes the files whose names say nothing for what is in them.
func (r *run) takeUnnamed() {
	sessions := map[string]bool{}
	for i := range r.rollouts {
		sessions[sessionFromName(r.rollouts[i].path)] = true
	}
	for i := range r.unnamed {
		if before := r.before.files[r.unnamed[i].file.path]; before != nil && before.session != "" {
			sessions[before.session] = true // a copy of it is none, whichever comes first
		}
	}
	n := len(r.rollouts)
	for i := range r.unnamed {
		u := &r.unnamed[i]
		as := r.byContent(&u.file, u.unpacked, sessions)
		if as == fateUnknown && slices.ContainsFunc(r.rollouts[n:], func(f rolloutFile) bool {
			return f.path+zstd.Suffix == u.file.path && repeated(&f, &u.file, u.unpacked) == fatePacked && faultOf(u.unpacked) == nil
		}) {
			as = fateTwice
		}
		r.take(&u.file, u.unpacked, r.sort(u.file.path, as))
	}
	if r.unnamed = nil; len(r.rollouts) > n {
		slices.SortFunc(r.rollouts, func(a, b rolloutFile) int { return strings.Compare(a.path, b.path) })
	}
}
