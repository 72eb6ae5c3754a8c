package modules

import (
	"context"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// The bounds of a Memory.
const (
	mostRemembered      = 256
	mostRememberedBytes = 8 << 20 // of manifests, as their modules give them
)

// settled is how old a file's last change must be before its size and time tell a later
// change: a file system's clock ticks that coarsely.
const settled = 2 * time.Second

// Memory keeps what sound modules said, by the hash of their bytes: a module says the same
// each time. It keeps no bytes of a module and no refusal, and forgets what it must to stay
// small. It is safe for concurrent use. A nil Memory remembers nothing.
type Memory struct {
	mu    sync.Mutex
	said  map[string]*Described // by hash, each without its File
	bytes int                   // of the manifests in said
	seen  map[string]seen       // by path
}

// seen is a file whose bytes were hashed.
type seen struct {
	info   fs.FileInfo
	sha256 string
}

// Describe is Describe, once for the same bytes. file was read by the caller, so that a file
// that changed is another module. The result is shared, and must not be changed.
func (m *Memory) Describe(ctx context.Context, engine *plugin.Engine, file *plugin.File) (*Described, error) {
	if d := m.recall(file); d != nil {
		return d, nil
	}
	d, err := Describe(ctx, engine, file)
	if err == nil && m != nil {
		m.keep(d)
	}
	return d, err
}

// Glance describes the module at path for a list. A file that looks as it did when it was
// read last is not read again: its File has no Bytes then, so that nothing can run it, and
// nothing may be accepted by it.
func (m *Memory) Glance(ctx context.Context, engine *plugin.Engine, path string, maxBytes int64) (*Described, error) {
	info, err := plugin.Stat(path, maxBytes)
	if err != nil {
		return nil, err
	}
	if d := m.glimpse(path, info); d != nil {
		return d, nil
	}
	began := time.Now()
	file, err := plugin.Open(path, maxBytes)
	if err != nil {
		return nil, err
	}
	d, err := m.Describe(ctx, engine, file)
	// The bytes were read after info was taken: a change between the two, and any later
	// one, gives the file another time than info has.
	if err == nil && m != nil && began.Sub(info.ModTime()) > settled {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.seen == nil || len(m.seen) >= mostRemembered {
			m.seen = map[string]seen{}
		}
		m.seen[path] = seen{info, file.SHA256}
	}
	return d, err
}

func (m *Memory) glimpse(path string, now fs.FileInfo) *Described {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	was, known := m.seen[path]
	m.mu.Unlock()
	if !known || !os.SameFile(was.info, now) || was.info.Size() != now.Size() || !was.info.ModTime().Equal(now.ModTime()) {
		return nil
	}
	return m.recall(plugin.Unread(path, was.sha256, now.Size()))
}

func (m *Memory) recall(file *plugin.File) *Described {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.said[file.SHA256]
	if was == nil {
		return nil
	}
	d := *was
	d.File = file
	return &d
}

func (m *Memory) keep(d *Described) {
	kept := *d
	kept.File = nil
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.said[d.File.SHA256] != nil || len(d.Raw) > mostRememberedBytes {
		return
	}
	for hash, other := range m.said { // any: it is described again when it is asked for
		if len(m.said) < mostRemembered && m.bytes+len(d.Raw) <= mostRememberedBytes {
			break
		}
		delete(m.said, hash)
		m.bytes -= len(other.Raw)
	}
	if m.said == nil {
		m.said = map[string]*Described{}
	}
	m.said[d.File.SHA256] = &kept
	m.bytes += len(d.Raw)
}
