package collector

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/atomicfile"
)

// maxMemory bounds the file, in bytes.
const maxMemory = 1 << 20

func (c *Collector) memoryPath() string {
	return strings.TrimSuffix(c.deps.LanePath, ".sqlite") + ".last.json"
}

// recall reads the lane's memory. A file that is missing or unreadable is no memory.
func (c *Collector) recall() memory {
	source := c.deps.Profile.SourceInstanceID
	if m, ok := memoryOf(c.memoryText()); ok && m.SourceInstanceID == source {
		return m
	}
	return memory{SourceInstanceID: source}
}

// memoryText is the file as it stands; nil when it is not there, or cannot be read.
func (c *Collector) memoryText() []byte {
	if info, err := os.Lstat(c.memoryPath()); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(c.memoryPath())
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxMemory+1))
	if err != nil {
		return nil
	}
	return text
}

func memoryOf(text []byte) (m memory, ok bool) {
	if len(text) > maxMemory || json.Unmarshal(text, &m) != nil {
		return memory{}, false
	}
	m.Left = m.Left[:min(len(m.Left), maxLeft)]
	return m, true
}

// text is the file's. Where a connector said more than it holds, the names go: what
// is left counts without them, and a file that is too large is none.
func (m *memory) text() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil || len(text) <= maxMemory {
		return text, err
	}
	bare := *m
	bare.Left = slices.Clone(m.Left)
	for i := range bare.Left {
		bare.Left[i].Diagnostics = nil
	}
	return json.Marshal(&bare)
}

// keepMemory writes the file, or removes it where there is nothing to keep. An
// execution does not fail with it, and makes no folder for it. Where nobody has seen
// yet that the outbox is this lane's, a file of another lane stays as it is.
func (c *Collector) keepMemory(m memory, opened bool) {
	if old, ok := memoryOf(c.memoryText()); !opened && ok && old.SourceInstanceID != "" && old.SourceInstanceID != m.SourceInstanceID {
		return
	}
	err := c.writeMemory(m)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.deps.Logger.Warn("how the execution ended could not be kept for status", "error", err.Error())
	}
}

// writeMemory puts another file in the place of one that says something else: whoever
// reads it, or takes over after the machine stopped, finds one of the two, whole.
func (c *Collector) writeMemory(m memory) error {
	path := c.memoryPath()
	if m.Failed == nil && len(m.Left) == 0 && !m.Public && m.Since == "" {
		if err := os.Remove(path); err != nil {
			return err
		}
		return atomicfile.SyncDir(filepath.Dir(path))
	}
	text, err := m.text()
	if err != nil || bytes.Equal(text, c.memoryText()) {
		return err
	}
	return atomicfile.Write(path, text)
}
