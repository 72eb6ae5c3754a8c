package abi

// Account is an ACCOUNT message: what became of the files, the archives and the items
// that the source gave (AC-02, AC-04, AC-05). A connector sends as many as it needs. A
// later word on a file replaces an earlier one, and the counts of a stream add up.
type Account struct {
	Type    string          `json:"type"`
	Files   []FileAccount   `json:"files,omitempty"`
	Streams []StreamAccount `json:"streams,omitempty"`
}

// StreamCoverage is the stream in which a connector of files accounts for each store of its folders (collector
// contract, section 5.2). It holds none of the owner's data.
const StreamCoverage = "coverage_diagnostics"

// FileAccount says what became of one file of a granted folder.
type FileAccount struct {
	Root   string `json:"root"`
	Path   string `json:"path"` // below the root, with slashes
	As     string `json:"as"`   // one of FileWords
	Reason string `json:"reason,omitempty"`
	// Entries are those of an archive; nil: the file is none, or was not opened as one.
	Entries *EntryAccount `json:"entries,omitempty"`
}

// The words for what became of a file.
const (
	FileRead    = "read"    // to its end, or to the place that a cursor names
	FileKnown   = "known"   // recognized and not read; a SKIP_RESULT or a gap says why
	FileDamaged = "damaged" // its readable parts were collected; a SKIP_RESULT or a gap says where it ends
	FileUnknown = "unknown" // looked at and not understood
	// FileRule and FileBeginning: by the rule of the manifest that is called Reason, the file is not
	// for this connector, or only its beginning is.
	FileRule      = "rule"
	FileBeginning = "beginning"
)

// FileWords lists what an As may be.
var FileWords = []string{FileRead, FileKnown, FileDamaged, FileUnknown, FileRule, FileBeginning}

// EntryAccount counts the entries of an archive. Count is the sum of the others.
type EntryAccount struct {
	Count   int64    `json:"count"`
	Read    int64    `json:"read,omitempty"`
	Rule    int64    `json:"rule,omitempty"` // not for this connector, by a rule of it
	Known   int64    `json:"known,omitempty"`
	Damaged int64    `json:"damaged,omitempty"`
	Unknown int64    `json:"unknown,omitempty"`
	Names   []string `json:"names,omitempty"` // of the unknown, at most MaxAccountNames
}

// StreamAccount counts the items of a source that were met for one stream since the last
// account. Met is the sum of the others.
type StreamAccount struct {
	Stream    string        `json:"stream"`
	Met       int64         `json:"met"`
	Emitted   int64         `json:"emitted,omitempty"`
	Unchanged int64         `json:"unchanged,omitempty"`
	Merged    int64         `json:"merged,omitempty"`     // the key of another item of the run, with other content
	Duplicate int64         `json:"duplicate,omitempty"`  // the key of another item of the run, with the same content
	KeptBack  int64         `json:"kept_back,omitempty"`  // a SKIP_RESULT or a gap says why
	NotRecord int64         `json:"not_record,omitempty"` // by a rule of the connector, or outside the scope of the run
	Outside   int64         `json:"outside,omitempty"`    // of NotRecord: outside the time range of the scope
	Cut       int64         `json:"cut,omitempty"`        // emitted with a field that was cut
	Unknown   []UnknownName `json:"unknown,omitempty"`    // at most MaxAccountNames
}

// UnknownName is a name that the connector does not know: a line type, a member, a
// component, a folder, an encoding.
type UnknownName struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// MaxAccountNames bounds the names of one EntryAccount or StreamAccount.
const MaxAccountNames = 64
