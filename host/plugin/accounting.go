package plugin

import (
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/books"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// The books of a run's folders (AC-01): see package books.
type (
	// Accounting is what a run knows of its folders before it begins.
	Accounting = books.Rule
	// GrantedFile names a file of a granted folder.
	GrantedFile = books.File
	// Books are what became of the files, at the end of a run that returned 0.
	Books = books.Report
	// UnreadFile is a file that nothing explains.
	UnreadFile = books.Unread
	// AmissFile is a file that the guest says is damaged, or known and not read.
	AmissFile = books.Amiss
	// SaidFile is a file that the guest says it has read, and how much it read of it.
	SaidFile = books.Said
	// RootCounts counts the files of one folder.
	RootCounts = books.RootCounts
)

// maxPath bounds the path of a file.
const maxPath = 4096

// MaxUnread is how many unexplained files Books name.
const MaxUnread = books.MaxNames

// The kinds of unexplained files that are not files: what lies behind them was not looked at.
const (
	KindUnlisted = books.KindUnlisted
	KindLink     = books.KindLink
	KindAway     = books.KindAway
	KindMisnamed = books.KindMisnamed
)

// The kinds of unexplained files that have others in them.
const (
	KindZip  = books.KindZip
	KindGzip = books.KindGzip
)

// keep opens the books of a run over mounts, whose guest is watched from then on; nil: it
// has no folders.
func keep(rule books.Rule, mounts []guest.Mount) *books.Books {
	if len(mounts) == 0 {
		return nil
	}
	b := books.New(rule, time.Now())
	for i := range mounts {
		mounts[i].Watch = b.Root(mounts[i].Name)
	}
	return b
}

// closeBooks adds the books to the end of a collect that went well.
func closeBooks(b *books.Books, mounts []guest.Mount, out *guest.Outcome) {
	if b == nil || out.Err != nil || !out.Returned || out.Code != 0 {
		return
	}
	roots := make(map[string]*os.Root, len(mounts))
	for _, m := range mounts {
		roots[m.Name] = m.Root
	}
	out.Books = b.Close(roots, time.Now)
}

// booked is a sink that has the books follow what the guest says of its files.
type booked struct {
	guest.Sink

	books *books.Books // nil: there are none
}

// Message follows an ACCOUNT, and passes it on like any other.
func (s booked) Message(call *abi.Call, p []byte) error {
	if call.Name == "account" && s.books != nil {
		s.books.Claim(p)
	}
	return s.Sink.Message(call, p)
}

func cleanReasons(reasons []string) []string {
	reasons = reasons[:min(len(reasons), books.MaxNames)]
	for i := range reasons {
		reasons[i] = cleanText[string](reasons[i])
	}
	return reasons
}

// pathOf bounds the path of a file. Its letters stay as they are, whatever they do to a terminal:
// an owner's rule has to find the file by them. Its printer cleans it.
func pathOf(path string) string {
	if len(path) > maxPath || strings.IndexByte(path, 0) >= 0 || !utf8.ValidString(path) {
		return cleanText[string](path) // no file has such a path
	}
	return path
}

// cleanBooks bounds what a worker, which a guest may have taken over, says of its files.
func cleanBooks(r *books.Report) *books.Report {
	if r == nil {
		return nil
	}
	r.Unread = r.Unread[:min(len(r.Unread), books.MaxNames)]
	for i := range r.Unread {
		u := &r.Unread[i]
		u.Root, u.Path = cleanText[string](u.Root), pathOf(u.Path)
		if !slices.Contains(books.Kinds, u.Kind) {
			u.Kind = ""
		}
	}
	r.Amiss = r.Amiss[:min(len(r.Amiss), books.MaxNames)]
	for i := range r.Amiss {
		a := &r.Amiss[i]
		a.Root, a.Path, a.Reason = cleanText[string](a.Root), pathOf(a.Path), cleanText[string](a.Reason)
		if a.As != abi.FileKnown {
			a.As = abi.FileDamaged
		}
	}
	r.Said = r.Said[:min(len(r.Said), books.MaxSaid)]
	for i := range r.Said {
		s := &r.Said[i]
		s.Root, s.Path, s.Bytes = cleanText[string](s.Root), cleanText[string](s.Path), max(s.Bytes, 0)
		if s.Entries != nil {
			s.Entries.Names = nil
		}
	}
	if r.Settled = cleanReasons(r.Settled); len(r.Open) > books.MaxNames {
		r.Settled = nil
	}
	r.Open = cleanReasons(r.Open)
	r.Holders = r.Holders[:min(len(r.Holders), books.MaxNames)]
	r.Over = r.Over[:min(len(r.Over), books.MaxNames)] // what is no word of the owner's ends none
	for i := range r.Roots {
		c := &r.Roots[i]
		c.Name = cleanText[string](c.Name)
		for _, n := range []*int64{&c.There, &c.Listed, &c.Opened, &c.Whole, &c.Read, &c.Rule, &c.Known, &c.Broken, &c.New, &c.Unexplained} {
			*n = max(*n, 0)
		}
	}
	return r
}
