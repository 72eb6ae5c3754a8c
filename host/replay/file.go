package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
)

// MaxBytes is the default maximum size of a recording.
const MaxBytes = 256 << 20

// maxLine bounds one line, for reading and writing. The largest message is 8 MiB, and
// six times that if every byte of it is escaped.
const maxLine = 64 << 20

// recordingWriter is a recording while it is written. Its first error stays, and nothing is
// written after it.
type recordingWriter struct {
	file *os.File
	to   *bufio.Writer
	line bytes.Buffer
	size int64
	most int64
	err  error
}

func newRecordingWriter(f *os.File, most int64) *recordingWriter {
	if most <= 0 {
		most = MaxBytes
	}
	return &recordingWriter{file: f, to: bufio.NewWriterSize(f, 64<<10), most: most}
}

// write adds a line completely or not at all.
func (s *recordingWriter) write(v any) {
	if s.err != nil {
		return
	}
	s.line.Reset()
	if err := encode(&s.line, v); err != nil {
		s.err = err
		return
	}
	n := int64(s.line.Len())
	if n > maxLine || s.size+n > s.most {
		s.err = abi.NewError(CodeTooLarge, "the recording exceeds its maximum size", "record a smaller part of the source").
			WithDetail(fmt.Sprintf("at most %d bytes, and %d a line", s.most, maxLine))
		return
	}
	s.size += n
	if _, err := s.to.Write(s.line.Bytes()); err != nil {
		s.err = unwritable(err)
	}
	if s.line.Cap() > 1<<20 {
		s.line = bytes.Buffer{}
	}
}

// close writes the recording to disk.
func (s *recordingWriter) close() error {
	err := s.to.Flush()
	if s.err == nil && err == nil {
		err = s.file.Sync()
	}
	if err = errors.Join(err, s.file.Close()); err != nil && s.err == nil {
		s.err = unwritable(err)
	}
	return s.err
}

// create makes a new file for this user alone, and follows no link.
func create(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the owner chose the path
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, abi.NewError(CodeExists, "the file exists already", "name another one, or remove it").WithDetail(path).Wrap(err)
	case err != nil:
		return nil, unwritable(err)
	}
	return f, nil
}

func unwritable(err error) error {
	detail := ""
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		detail = pe.Path + ": " + pe.Err.Error()
	}
	return abi.NewError(abi.CodeExportFailed, "the recording cannot be written", "choose another place, with room").
		WithDetail(detail).Wrap(err)
}
