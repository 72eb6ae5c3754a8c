package exports

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// Folder is the granted folder with its sources.
type Folder struct {
	Root    fs.FS
	Sources []Source // by name
	Books   Books    // of files that belong to no source

	name string // of the root
	left []left // files that belong to no source, and are not read
}

// Source is an archive, or what lies unpacked in one folder of the granted one, or right in it.
type Source struct {
	Name        string
	files.Stamp // of loose files the sum of their sizes, and numbers that any change changes

	loose []archive.Loose // nil for an archive
	made  int64           // when the export was made, in milliseconds, see madeAt
}

// Bounds on a folder.
const (
	maxFiles = 200_000
	maxDepth = 32
)

// Open opens the source.
func (s *Source) Open(root fs.FS) (*archive.Reader, error) {
	if s.loose != nil {
		return archive.OpenFiles(root, s.loose, archive.Limits{}), nil
	}
	return archive.Open(root, s.Name, archive.Limits{})
}

// Unpacked reports whether the source is loose files and no archive.
func (s *Source) Unpacked() bool { return s.loose != nil }

// File returns the entry at hand of a reader of the source.
func (s *Source) File(a *archive.Reader) *File {
	if s.loose != nil {
		return NewFile("", a)
	}
	return NewFile(s.Name, a)
}

// Open looks through the granted folder. Its error is a *sdk.Failure with the code
// <root>_folder_missing or directory_read_failed. A folder without a file is told as Empty.
func Open(h *sdk.Host, root string) (*Folder, error) {
	fsys, ok := h.Root(root)
	if !ok {
		return nil, &sdk.Failure{Code: root + "_folder_missing", Message: "the folder with the archives was not granted", Hint: ownerActs}
	}
	list := files.Walk{Depth: maxDepth, Most: maxFiles}.List(fsys, ".")
	if list.Err != nil {
		return nil, &sdk.Failure{
			Code: "directory_read_failed", Message: "the folder with the archives cannot be read", Retryable: true,
			Hint: ownerActs, Err: list.Err,
		}
	}
	f := &Folder{Root: fsys, Books: NewBooks(), name: root}
	for _, fault := range list.Faults {
		f.Books.Note(faultOf(fault), fault.Path, "")
		f.left = append(f.left, left{fault.Path, Known, faultOf(fault)})
	}
	f.sort(list.Files())
	if len(f.Sources) > 0 || len(f.Books.Problems) > 0 {
		return f, nil
	}
	return f, h.Skip(abi.SkipResult{
		Reason: Empty, Message: "the folder has no archive and no file of an export", RecoveryHint: abi.Raw(`"not_retriable"`),
	})
}

// sort makes sources of the files.
func (f *Folder) sort(found []files.Entry) {
	loose := make(map[string][]files.Entry)
	for _, e := range found {
		switch {
		case Hidden(e.Path):
			f.Books.Kinds[hidden]++
		case unfinished(e.Path):
			f.Books.Note(Unfinished, e.Path, "")
			f.left = append(f.left, left{e.Path, Known, Unfinished})
		case isPiece(e.Path):
			f.Books.Note(Piece, e.Path, "")
			f.left = append(f.left, left{e.Path, Known, Piece})
		case f.isArchive(e):
			f.Sources = append(f.Sources, Source{Name: e.Path, Stamp: e.Stamp, made: madeAt(e.Path, e.MTimeMS)})
		default:
			top, _, deep := strings.Cut(e.Path, "/")
			if !deep {
				top = "."
			}
			loose[top] = append(loose[top], e)
		}
	}
	for _, top := range Sorted(loose) {
		f.Sources = append(f.Sources, unpacked(top, loose[top]))
	}
	slices.SortFunc(f.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
}

func unpacked(top string, list []files.Entry) Source {
	s := Source{Name: top}
	sum, last := fingerprint.Start, int64(0)
	for _, e := range list {
		s.loose = append(s.loose, archive.Loose{Path: e.Path, Size: e.Size, MTimeMS: e.MTimeMS})
		s.Size += e.Size
		sum = fingerprint.Mix(fingerprint.Text(sum, e.Path) ^ uint64(e.Size)<<32 ^ uint64(e.MTimeMS))
		s.CTimeMS = files.Changes(s.CTimeMS, e.CTimeMS)
		last = max(last, e.MTimeMS)
	}
	s.made = madeAt(top, last)
	const exact = 1<<53 - 1 // what a number of JSON holds
	s.MTimeMS = int64(sum & exact)
	return s
}

// unfinished reports whether a browser or another program is still writing the file.
func unfinished(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".crdownload", ".part", ".partial", ".download", ".opdownload", ".filepart":
		return true
	}
	return false
}

// packed are the endings of archives, of those that are not read, too, so that this is said.
var packed = []string{".zip", ".tgz", ".tar.gz", ".gz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst"}

// zips are endings of files that are zips, and none of an export. Any other file that lies right in the folder
// has its first bytes looked at: a download may have lost its ending, or have got another one.
var zips = []string{".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".jar", ".apk", ".epub", ".kmz"}

func (f *Folder) isArchive(e files.Entry) bool {
	name := strings.ToLower(e.Path)
	ends := func(end string) bool { return strings.HasSuffix(name, end) }
	if slices.ContainsFunc(packed, ends) {
		return true
	}
	if strings.Contains(name, "/") || slices.ContainsFunc(zips, ends) {
		return false
	}
	head, err := files.Read(f.Root, e.Path, 4)
	return err != nil || string(head) == "PK\x03\x04" || strings.HasPrefix(string(head), "\x1f\x8b") // one that cannot be opened may be an archive
}

// isPiece reports whether a file is one of the pieces into which a program has cut an archive: NAME.zip.001, or
// NAME.z01. Only the first of them begins like an archive, so the name tells.
func isPiece(name string) bool {
	name = strings.ToLower(name)
	end := path.Ext(name)
	front, number := strings.TrimSuffix(name, end), strings.TrimPrefix(end, ".")
	if digits(number) && len(number) == 3 {
		return slices.ContainsFunc(packed, func(end string) bool { return strings.HasSuffix(front, end) })
	}
	return len(number) == 3 && number[0] == 'z' && digits(number[1:])
}

// faultOf returns the problem for which a place was not looked into.
func faultOf(f files.Fault) string {
	switch {
	case f.Why == files.Deep:
		return TooDeep
	case f.Why == files.Unreadable && files.Misnamed(f.Path):
		return Misnamed
	}
	return Unseen
}
