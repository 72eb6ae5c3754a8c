package exports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Problem is what a run says of one kind of fault: the text, with their number and the first
// places for "#".
type Problem struct{ Code, Text, Hint string }

// The hints: something is missing, which its owner can bring or put aside, or nothing is.
const (
	ownerActs = "manual_action_required"
	nothing   = "not_retriable"
)

// The problems that every connector of archives may meet. The codes of the readers' are theirs,
// with an underscore for the dot.
var faults = []Problem{
	{PartMissing, "parts of an export that are missing: #; put them into the folder, too, or say that the parts that are there may stay as they are", ownerActs},
	{Unfinished, "downloads that are not finished: #; wait until they are there whole, or say that they may stay as they are", ownerActs},
	{Piece, "pieces of archives that a program has cut: #; join the pieces of each, and put the whole archive into the folder instead of them", ownerActs},
	{Unseen, "places in the folder that could not be looked into: #; let this program read them, and put what links lead to into the folder itself, or say that they may stay as they are", ownerActs},
	{Misnamed, "files or folders whose names are not UTF-8, and which cannot be opened by them: #; give them other names, or unpack the archive again with a newer program", ownerActs},
	{TooDeep, "folders that lie more than 32 levels deep, and were not looked into: #; move them further up, or say that they may stay as they are", ownerActs},
	{"archive_truncated", "archives or files in them that end too early: #; what closes before was read; download them again", ownerActs},
	{"archive_corrupt", "archives or files in them that are damaged: #; download them again", ownerActs},
	{"archive_encrypted", "archives or files in them that need a password: #; pack them again without one", ownerActs},
	{"archive_unsupported", "archives or files in them that are packed in a way that is not read: #; pack them as an ordinary zip", ownerActs},
	{"archive_unsafe_name", "files that were left out, because their name leads out of the archive, or is no path: #; pack them under another name", ownerActs},
	{"archive_duplicate_name", "files that were left out, because an earlier one has their name: #; pack them under another name", ownerActs},
	{"archive_nested", "archives in an archive, which were not opened: #; unpack the archive around them, and put what it holds into the folder instead of it", ownerActs},
	{"archive_too_large", "archives or files in them that unpack to more than is read: #; say that they may stay as they are, if they are not part of an export", ownerActs},
	{"archive_not_an_archive", "files that are named like archives, and are none: #; download them again, or say that they may stay as they are", ownerActs},
	{Unreadable, "files that could not be read, and are tried again: #; see that this program may read them, and that the disk is sound", ownerActs},
	{"jsonstream_syntax", "JSON files with values that are not JSON: #; the others were read; download them again", ownerActs},
	{"jsonstream_truncated", "JSON files that end in the middle: #; what closes before was read; download them again", ownerActs},
	{"jsonstream_too_deep", "JSON files with values that are nested too deep to be read: #; the others were read; say that they may stay as they are, if they do not matter", ownerActs},
	{"csv_syntax", "tables with rows that are damaged: #; the others were read; download them again", ownerActs},
	{"csv_truncated", "tables that end in the middle: #; the rows in front were read; download them again", ownerActs},
	{"markup_syntax", "XML files with faults: #; what stands around them was read; download them again", ownerActs},
	{"markup_truncated", "XML files that end in the middle: #; download them again", ownerActs},
	{"markup_too_large", "pages or XML files with a part beyond what is read: #; say that they may stay as they are, if they do not matter", ownerActs},
	{"mbox_damaged", "mailboxes with parts that are no messages: #; the messages around them were read; download them again", ownerActs},
	{"mbox_truncated", "mailboxes that end within a message: #; the others were read; download them again", ownerActs},
	{"mbox_not_a_mailbox", "files that are named like mailboxes, and are none: #; download them again, or say that they may stay as they are", ownerActs},
	{HalfCharacters, "files with halves of characters, which are no characters and were read as U+FFFD: #", nothing},
	{TakenForLatin, "files that are not UTF-8, and were read as Windows-1252: #", nothing},
}

// The codes of problems that are no reader's.
const (
	Unreadable     = "archive_read_failed"      // a file that failed to be read, and may be read another time
	PartMissing    = abi.PartMissing            // a part of an export is not in the folder
	Unfinished     = "download_unfinished"      // a browser is still writing the file
	Piece          = "archive_in_pieces"        // a piece of an archive that a program has cut
	Unseen         = "folder_not_seen"          // a folder, or a link, that could not be followed
	Misnamed       = "name_not_utf_8"           // a file or folder that no path names
	TooDeep        = "folder_too_deep"          // a folder below maxDepth
	TakenForLatin  = "file_is_windows_1252"     // a text that is not UTF-8
	HalfCharacters = "file_has_half_characters" // half of a surrogate pair in an escape of JSON
	Empty          = "nothing_found"            // the folder has no file: the host takes its connection for no healthy one
	hidden         = "hidden_files"             // a kind: the files of systems and programs
)

// ProblemOf returns the code of the problem that an error of a reader of archives or files
// is, "" for any other error, which is the run's.
func ProblemOf(err error) string {
	e, ok := err.(*abi.Error) //nolint:errorlint // as the readers return it; errors.As needs reflection
	if !ok {
		return ""
	}
	code := strings.ReplaceAll(string(e.Code), ".", "_")
	if isFault(code) {
		return code
	}
	return ""
}

// isFault reports whether a problem is a fault that a reader met.
func isFault(code string) bool {
	return slices.ContainsFunc(faults, func(p Problem) bool { return p.Code == code })
}

// Hurt reports whether something that was found could not be read, or not to its end.
func (f Findings) Hurt() bool {
	return slices.ContainsFunc(faults, func(p Problem) bool { return p.Hint == ownerActs && f[p.Code].n > 0 })
}

// Report tells of each problem that was found, by the connector's own texts and those of the
// readers' faults: how many, and what to do. The first places are beside the text.
func Report(h *sdk.Host, found Findings, own ...Problem) error {
	streams := append([]string{""}, h.Streams()...)
	for _, p := range append(slices.Clone(own), faults...) {
		for _, stream := range streams {
			if err := p.tell(h, stream, found[of(p.Code, stream)]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Problem) tell(h *sdk.Host, stream string, f finding) error {
	if f.n == 0 {
		return nil
	}
	diagnostics := jsonappend.Int([]byte(`{"count":`), f.n)
	if len(f.at) > 0 {
		diagnostics = jsonappend.Strings(jsonappend.Name(diagnostics, "examples"), f.at)
	}
	return h.Skip(abi.SkipResult{
		Stream: stream, Reason: p.Code, Message: strings.Replace(p.Text, "#", strconv.FormatInt(f.n, 10), 1),
		RecoveryHint: jsonappend.String(nil, p.Hint), Diagnostics: append(diagnostics, '}'),
	})
}
