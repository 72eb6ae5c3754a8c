package manifest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// FileState names a file of a granted folder, with its size and the time of its last change.
type FileState struct {
	Root      string `json:"root"`
	Path      string `json:"path"` // below the root, with slashes
	Size      int64  `json:"size"`
	ChangedMS int64  `json:"changed_ms"` // when it changed, in milliseconds since 1970
}

// Word is an owner's word on files of a connection's folders (AC-03). Without reasons it is a rule: what its pattern
// covers is not for the connection. With reasons it is about one file as it was, or about one entry of an archive as
// it was, whose path the pattern has behind a slash. It allows these reasons alone, and says nothing of what comes
// under that name later.
type Word struct {
	Pattern string `json:"pattern"`
	Root    string `json:"root,omitempty"`
	// For are the reasons that the file had, sorted; "" means that nothing explained it, or entries of it.
	For       []string `json:"for,omitempty"`
	Size      int64    `json:"size,omitempty"` // of the file or the archive, as in FileState
	ChangedMS int64    `json:"changed_ms,omitempty"`
}

// AsItWas returns the word on a file, or on an entry of an archive by its own path.
func AsItWas(f FileState, path string, reasons []string) Word {
	return Word{ExactFile(path), f.Root, reasons, f.Size, f.ChangedMS}
}

// IsRule reports whether the word holds for whatever its pattern covers.
func (w *Word) IsRule() bool { return len(w.For) == 0 }

// IsOf reports whether the file is as it was when the word was said.
func (w *Word) IsOf(f FileState) bool { return w.Size == f.Size && w.ChangedMS == f.ChangedMS }

// Allows reports whether the word is about a file, or an entry at path of an archive, that has a reason to be told of.
func (w *Word) Allows(f FileState, path, reason string) bool {
	if w.IsRule() {
		return Covers(abi.Ignore{Pattern: w.Pattern}, path)
	}
	return w.IsOf(f) && w.Root == f.Root && (w.Pattern == ExactFile(path) || w.Pattern == ExactFile(f.Path)) &&
		slices.Contains(w.For, reason)
}

// Allowed reports whether one of the words allows what Word.Allows says.
func Allowed(words []Word, f FileState, path, reason string) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return w.Allows(f, path, reason) })
}

// File is the path that a word on one file has.
func (w *Word) File() string { return strings.TrimPrefix(w.Pattern, "/") }
