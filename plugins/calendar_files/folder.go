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
	others := 0
	return files.Walk{Depth: maxFolderDepth, Most: maxFiles, Pass: hidden, Keep: func(p string, folder bool) bool {
		if folder || hidden(p) || isCalendar(p) || before[p] != nil {
			return !folder && (!hidden(p) || hiddenCalendar(p))
		}
		others++
		return others <= maxOthers
	}}.List(root, ".")
}

// hidden reports whether a name is one of editors, systems and sync tools.
func hidden(p string) bool { return strings.HasPrefix(path.Base(p), ".") }

// hiddenCalendar reports whether a hidden file may be a calendar all the same. "._a.ics" has what a Mac
// keeps beside "a.ics", and ".#a.ics" is an editor's lock.
func hiddenCalendar(p string) bool {
	name := path.Base(p)
	return isCalendar(p) && hidden(p) && !strings.HasPrefix(name, "._") && !strings.HasPrefix(name, ".#")
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

// begins reports whether a file of another name, or a hidden one, begins like a calendar. It says of one
// that does not that it is not understood, because a short file that was looked at was read whole. A
// hidden one is what the manifest says of such files.
func (r *run) begins(f files.Entry) bool {
	head, err := files.Read(r.root, f.Path, headBytes)
	if err != nil {
		return isCalendar(f.Path) // a hidden one, which is told as one that cannot be read
	}
	in := contentline.NewReader(bytes.NewReader(head), make([]byte, headBytes))
	var l contentline.Line
	if l.Split(in.Next()) && string(l.Name) == "BEGIN" && string(contentline.Upper(contentline.Trim(l.Value))) == "VCALENDAR" {
		return true
	}
	if !hidden(f.Path) {
		r.books.Unknown(rootName, f.Path)
	}
	return false
}
