package accounts

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

const (
	// filesEach is how many files one message has at most, and bytesEach about how long it gets.
	filesEach = 1000
	bytesEach = 64 << 10
)

// Books collect what became of files and items, and send it in batches. A refusal of the host
// fails the run at its end. Like the Host, they belong to the goroutine of Collect.
type Books struct {
	h     *sdk.Host
	files []byte // objects with commas between them
	n     int
	items []*Items
	err   error
}

// Open opens the books of a run. They are closed with it, before DONE.
func Open(h *sdk.Host) *Books {
	b := &Books{h: h}
	h.AtEnd(b.close)
	return b
}

// Read says that a file was read to its end, or to the place that a cursor names: also one that
// has not changed since and was not opened.
func (b *Books) Read(root, path string) { b.file(root, path, abi.FileRead, "", nil) }

// Known says that a file was recognized and not read. A Skip or a gap with the reason says why.
func (b *Books) Known(root, path, reason string) { b.file(root, path, abi.FileKnown, reason, nil) }

// Damaged says that a file is broken. Its readable parts were collected, and a Skip or a gap
// with the reason says where it breaks off.
func (b *Books) Damaged(root, path, reason string) {
	b.file(root, path, abi.FileDamaged, reason, nil)
}

// Rule says that a file is not for the connector, by the rule of its manifest with that name.
func (b *Books) Rule(root, path, rule string) { b.file(root, path, abi.FileRule, rule, nil) }

// Beginning says that the beginning of a file was read, which is all that the rule of the manifest
// with that name has of it.
func (b *Books) Beginning(root, path, rule string) { b.file(root, path, abi.FileBeginning, rule, nil) }

// Unknown says that a file was looked at and not understood.
func (b *Books) Unknown(root, path string) { b.file(root, path, abi.FileUnknown, "", nil) }

// Entries counts what became of the entries of an archive. The zero value has none.
type Entries struct {
	Read, Rule, Known, Damaged int64

	unknown int64
	names   []string
}

// Unknown counts an entry that was not understood.
func (e *Entries) Unknown(name string) {
	if e.unknown++; len(e.names) < abi.MaxAccountNames {
		e.names = append(e.names, name)
	}
}

// Archive says of an archive what became of it, one of the words of abi.FileWords, and of its
// entries.
func (b *Books) Archive(root, path, as, reason string, e *Entries) { b.file(root, path, as, reason, e) }

// UnknownOthers counts n more entries that were not understood, without their names.
func (e *Entries) UnknownOthers(n int64) { e.unknown += max(n, 0) }

func (b *Books) file(root, path, as, reason string, e *Entries) {
	if b.n++; b.n > 1 {
		b.files = append(b.files, ',')
	}
	f := append(b.files, '{')
	f = jsonappend.String(jsonappend.Name(f, "root"), root)
	f = jsonappend.String(jsonappend.Name(f, "path"), path)
	f = jsonappend.String(jsonappend.Name(f, "as"), as)
	if reason != "" {
		f = jsonappend.String(jsonappend.Name(f, "reason"), reason)
	}
	if e != nil {
		f = e.append(f)
	}
	b.files = append(f, '}')
	if b.n >= filesEach || len(b.files) >= bytesEach {
		b.send()
	}
}

func (e *Entries) append(f []byte) []byte {
	f = append(jsonappend.Name(f, "entries"), '{')
	f = jsonappend.Int(jsonappend.Name(f, "count"), e.Read+e.Rule+e.Known+e.Damaged+e.unknown)
	f = count(f, "read", e.Read)
	f = count(f, "rule", e.Rule)
	f = count(f, "known", e.Known)
	f = count(f, "damaged", e.Damaged)
	f = count(f, "unknown", e.unknown)
	if len(e.names) > 0 {
		f = jsonappend.Strings(jsonappend.Name(f, "names"), e.names)
	}
	return append(f, '}')
}

// count appends a count unless it is 0.
func count(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return jsonappend.Int(jsonappend.Name(b, name), n)
}

// send sends what was collected.
func (b *Books) send() {
	m := jsonappend.String(jsonappend.Name([]byte{'{'}, "type"), abi.TypeAccount)
	if b.n > 0 {
		m = append(append(append(jsonappend.Name(m, "files"), '['), b.files...), ']')
	}
	first := true
	for _, i := range b.items {
		if i.settle(b.h); i.empty() || !b.h.Wants(i.stream) {
			continue
		}
		if first {
			m = append(jsonappend.Name(m, "streams"), '[')
		} else {
			m = append(m, ',')
		}
		m, first = i.append(m), false
	}
	if !first {
		m = append(m, ']')
	}
	if b.n == 0 && first {
		return
	}
	if err := b.h.SendAccount(append(m, '}')); b.err == nil {
		b.err = err
	}
	b.files, b.n = b.files[:0], 0
}

func (b *Books) close() error {
	b.send()
	return b.err
}
