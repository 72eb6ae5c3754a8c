package corpus

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// writer writes one file after the other. After the first failure it does nothing more,
// and err is the reason.
type writer struct {
	dir   string
	rand  *rand.Rand
	now   time.Time // of the event being written
	stats Stats
	err   error

	path string
	file *os.File
	buf  *bufio.Writer
	line []byte
}

// create starts the file at the path below the folder and ends the one before.
func (w *writer) create(path string) {
	w.close()
	if w.err != nil {
		return
	}
	w.path = filepath.Join(w.dir, filepath.FromSlash(path))
	if w.err = os.MkdirAll(filepath.Dir(w.path), 0o750); w.err != nil {
		return
	}
	if w.file, w.err = os.Create(w.path); w.err != nil {
		return
	}
	if w.buf == nil {
		w.buf = bufio.NewWriterSize(nil, 1<<20)
	}
	w.buf.Reset(w.file)
	w.stats.Files++
}

// write appends to the file.
func (w *writer) write(b []byte) {
	if w.err != nil || w.file == nil {
		return
	}
	_, w.err = w.buf.Write(b)
	w.stats.Bytes += int64(len(b))
}

// end appends w.line and a line feed.
func (w *writer) end() {
	w.line = append(w.line, '\n')
	w.write(w.line)
	w.stats.Lines++
	w.line = w.line[:0]
}

// close ends the file and gives it the time of its last event, so that the
// modification times, too, depend on nothing but the options.
func (w *writer) close() {
	if w.file == nil {
		return
	}
	if err := w.buf.Flush(); w.err == nil {
		w.err = err
	}
	if err := w.file.Close(); w.err == nil {
		w.err = err
	}
	if err := os.Chtimes(w.path, w.now, w.now); w.err == nil {
		w.err = err
	}
	w.file = nil
}

// whole writes one file at once.
func (w *writer) whole(path, content string) {
	w.create(path)
	w.write([]byte(content))
	w.close()
}

// advance moves the clock on by up to most.
func (w *writer) advance(most time.Duration) {
	w.now = w.now.Add(time.Duration(w.rand.Int64N(int64(most/time.Millisecond))+1) * time.Millisecond)
}
