package sdktest

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// account checks an ACCOUNT: its words, its streams, and that its counts add up.
func (h *host) account(m *abi.Account) string {
	for _, f := range m.Files {
		e := f.Entries
		switch {
		case f.Root == "" || f.Path == "" || !slices.Contains(abi.FileWords, f.As):
			return "an account of a file without root, path or one of abi.FileWords"
		case e != nil && e.Count != e.Read+e.Rule+e.Known+e.Damaged+e.Unknown:
			return "an account of entries that does not add up: " + f.Path
		}
	}
	for _, s := range m.Streams {
		if s.Met != s.Emitted+s.Unchanged+s.Merged+s.Duplicate+s.KeptBack+s.NotRecord {
			return "an account of items that does not add up: " + s.Stream
		}
		if s.Outside > s.NotRecord {
			return "an account of more items outside the time range than are no records: " + s.Stream
		}
		if problem := h.declared(s.Stream); problem != "" {
			return problem
		}
	}
	return ""
}

// declared says that the manifest has no such stream, "" when it has.
func (h *host) declared(stream string) string {
	if !slices.ContainsFunc(h.manifest.Streams, func(s abi.Stream) bool { return s.Name == stream }) {
		return "the manifest has no stream " + stream
	}
	return ""
}

// File returns the last word of a run on a file of a granted folder, "" when there is none.
func (r *Result) File(root, path string) (as string) {
	for _, m := range r.Accounts {
		for _, f := range m.Files {
			if f.Root == root && f.Path == path {
				as = f.As
			}
		}
	}
	return as
}

// Entries returns the account of an archive's entries, nil when there is none.
func (r *Result) Entries(root, path string) (of *abi.EntryAccount) {
	for _, m := range r.Accounts {
		for i := range m.Files {
			if f := &m.Files[i]; f.Root == root && f.Path == path && f.Entries != nil {
				of = f.Entries
			}
		}
	}
	return of
}

// Items returns what a run said of the items that it met for a stream, all of it together.
func (r *Result) Items(stream string) abi.StreamAccount {
	sum := abi.StreamAccount{Stream: stream}
	for _, m := range r.Accounts {
		for _, s := range m.Streams {
			if s.Stream != stream {
				continue
			}
			sum.Met += s.Met
			sum.Emitted += s.Emitted
			sum.Unchanged += s.Unchanged
			sum.Merged += s.Merged
			sum.Duplicate += s.Duplicate
			sum.KeptBack += s.KeptBack
			sum.NotRecord += s.NotRecord
			sum.Outside += s.Outside
			sum.Cut += s.Cut
			for _, u := range s.Unknown {
				at := slices.IndexFunc(sum.Unknown, func(x abi.UnknownName) bool { return x.Name == u.Name })
				if at < 0 {
					sum.Unknown = append(sum.Unknown, u)
				} else {
					sum.Unknown[at].Count += u.Count
				}
			}
		}
	}
	return sum
}
