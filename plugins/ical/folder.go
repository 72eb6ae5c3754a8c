package main

import (
	"bytes"
	"io/fs"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/contentline"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// Bounds on the files without a calendar's name that are looked into: how many, and how far.
const (
	maxOthers = 1000
	headBytes = 512
)

// list lists the files that may be calendars, those that were among them.
func list(root fs.FS, before map[string]*fileState) *files.Listing {
	hidden := func(p string) bool { return strings.HasPrefix(path.Base(p), ".") } // editors' and sync tools' own
	others := 0
	return files.Walk{Depth: maxFolderDepth, Most: maxFiles, Pass: hidden, Keep: func(p string, folder bool) bool {
		if folder || hidden(p) || isCalendar(p) || before[p] != nil {
			return !folder && !hidden(p)
		}
		others++
		return others <= maxOthers
	}}.List(root, ".")
}

// isCalendar reports whether a name is one that programs give to calendars: of RFC 5545 (section
// 8.1), of vCalendar 1.0, and those of Apple and of Google.
func isCalendar(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".ics", ".ifb", ".vcs", ".ical", ".icalendar":
		return true
	}
	return false
}

// mayHave reports whether a link that is not followed may lead to a calendar, or to a folder with one:
// folders have names without an ending.
func mayHave(p string) bool { return isCalendar(p) || path.Ext(p) == "" }

// begins reports whether a file of another name begins like a calendar. It says of one
// that does not that it is not understood, because a short file that was looked at was read whole.
func (r *run) begins(f files.Entry) bool {
	head, err := files.Read(r.root, f.Path, headBytes)
	if err != nil {
		return false
	}
	in := contentline.NewReader(bytes.NewReader(head), make([]byte, headBytes))
	var l contentline.Line
	if l.Split(in.Next()) && string(l.Name) == "BEGIN" && string(contentline.Upper(contentline.Trim(l.Value))) == "VCALENDAR" {
		return true
	}
	r.books.Unknown(rootName, f.Path)
	return false
}
