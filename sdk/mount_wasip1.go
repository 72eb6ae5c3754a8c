//go:build wasip1

package sdk

import (
	"io/fs"
	"os"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

// mounted is the folder that the host mounted at the path. Only Root refers to
// it, so a module that reads no files imports no file calls.
type mounted string

func (m mounted) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return string(m), nil
	}
	return string(m) + "/" + name, nil
}

func (m mounted) Open(name string) (fs.File, error) {
	p, err := m.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, err // never a typed nil
	}
	return f, nil
}

func (m mounted) Stat(name string) (fs.FileInfo, error) {
	p, err := m.path("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(p)
}

func (m mounted) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := m.path("readdir", name)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(p)
}

func mount(_ link.Link, _, path string) fs.FS { return mounted(path) }

func clock(link.Link) time.Time { return time.Now() }
