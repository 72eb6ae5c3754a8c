package files

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// The statuses of a Row.
const (
	StatusCollected   = "collected"
	StatusInventory   = "inventory_only"
	StatusDiagnostics = "diagnostics_only"
	StatusExcluded    = "excluded"
	StatusDeferred    = "deferred"
	StatusIncomplete  = "incomplete"
	StatusMissing     = "missing"
	StatusUnsupported = "unsupported"
	StatusUnaccounted = "unaccounted"
)

// Row is one record of coverage_diagnostics: what became of one store of a folder.
type Row struct {
	Store  string
	Was    string // its name in an earlier version, "" for the same
	Kind   string // for a row of no store: the beginning of its id, with a colon
	Stream string // of its content, "" for none
	Status string
	Reason string
}

// Row emits the record of a row that is new or changed. Its id is made of the store's name.
func (s *Set) Row(row Row) error {
	id, was := "coverage:"+row.Kind+row.Store, "coverage:"+row.Kind+row.Was
	moved := row.Was != "" && s.Moved(was, id)
	if !s.News(id, Sum(row.Stream, row.Status, row.Reason)) {
		return nil
	}
	r := s.h.Record(s.stream)
	if moved {
		r.MovedFrom(was)
	}
	r.String("id", id)
	r.String("store", row.Store)
	r.StringOrNull("stream", row.Stream)
	r.String("status", row.Status)
	r.String("reason", row.Reason)
	return r.Emit()
}

// Listed is the record of an entry of which a stream has no more than that it is there: its
// content is not for records. Size and time are shown, and do not make it another record: those
// of a file that grows change every day.
//
// With a Tool an entry's hash is that of the tool's name, a colon and the path; the record that an earlier Reader of the set listed
// without it has Moved.
type Listed struct{ Store, Class, Reason, Tool string }

// List emits the record of an entry that is new or of another kind.
func (s *Set) List(of Listed, e Entry) error {
	hash, kind := hexOf(e.Path), e.Word()
	id := of.Store + ":" + hash
	was, moved := id, false
	if of.Tool != "" {
		hash = hexOf(of.Tool + ":" + e.Path)
		id = of.Store + ":" + hash
		moved = s.Moved(strings.TrimPrefix(was, s.prefix), strings.TrimPrefix(id, s.prefix))
	}
	if !s.News(strings.TrimPrefix(id, s.prefix), Sum(e.Path, kind, of.Reason)) {
		return nil
	}
	r := s.h.Record(s.stream)
	if moved {
		r.MovedFrom(was)
	}
	r.String("id", id)
	r.String("store", of.Store)
	r.String("relative_path", e.Path)
	r.String("path_hash", hash)
	r.String("type", kind)
	r.IntOrNull("size_bytes", e.Size, e.Kind == File)
	r.IntOrNull("mtime_epoch", e.MTimeMS/1000, e.Kind == File || e.MTimeMS != 0)
	r.String("classification", of.Class)
	r.String("reason", of.Reason)
	return r.Emit()
}

func hexOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return sha256.Hex(sum[:])
}

// Word is what an entry is, in records.
func (e Entry) Word() string {
	switch {
	case e.Kind == Folder:
		return "directory"
	case e.Kind == File:
		return "file"
	case e.Link:
		return "link"
	}
	return "other"
}
