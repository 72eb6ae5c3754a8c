package records

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

// exportTarget is where records are written to. An error of that target gets a code of its
// own, because the store is not at fault.
type exportTarget struct {
	w    io.Writer
	name string // as the owner knows it: a path, or "standard output"
}

// Write implements io.Writer.
func (t *exportTarget) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		err = notWritten(t.name, err)
	}
	return n, err
}

// notWritten says that records could not be written to the target.
func notWritten(name string, err error) error {
	if abi.CodeOf(err) == abi.CodeExportFailed {
		return err
	}
	hint := "check where it is written to, then export again"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		hint = "make room there, or write to another disk with --output"
	}
	return abi.NewError(abi.CodeExportFailed, "the records cannot be written", hint).
		WithDetail(name + ": " + reason(err)).Wrap(err)
}

// unwritable says that an export's file cannot be made: a disk that takes
// nothing, or a path that is wrong.
func unwritable(path string, err error) error {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, cause) {
			return notWritten(path, err)
		}
	}
	return syntax.Usage("the export cannot be written", "choose another --output").WithDetail(path + ": " + reason(err)).Wrap(err)
}

// reason is what the system said, without the path that stands beside it.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}
