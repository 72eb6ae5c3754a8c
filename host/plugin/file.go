package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Extension is the suffix of a plugin file's name.
const Extension = ".wasm"

// File is a module's content, read once, together with its hash: the compiled bytes
// are the hashed bytes, even if the file changes meanwhile.
type File struct {
	Path   string // its path; "" for FromBytes
	Name   string // the base name without Extension
	SHA256 string // of Bytes, in lower-case hex
	Size   int64
	Bytes  []byte // must not be changed
}

// FromBytes returns a File over b, which must not change afterwards.
func FromBytes(name string, b []byte) *File {
	sum := sha256.Sum256(b)
	return &File{Name: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(b)), Bytes: b}
}

// Open reads the module at path. The last part of path must not be a symbolic
// link, and the file must be a regular one of 1 to maxBytes bytes; its size is
// known before it is read. The error is an *abi.Error of area plugin.
func Open(path string, maxBytes int64) (*File, error) {
	f, info, err := open(path, maxBytes)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read-only
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, openError(path, err)
	}
	// A file that grew or shrank meanwhile is being written, so its hash would match
	// no finished file.
	if more, _ := f.Read(make([]byte, 1)); n < len(b) || more > 0 {
		return nil, abi.NewError(abi.CodePluginUnreadable, "the plugin file changed while it was read",
			"wait until the copy has finished, then try again").WithDetail(path)
	}
	file := FromBytes(strings.TrimSuffix(filepath.Base(path), Extension), b)
	file.Path = path
	return file, nil
}

// Stat refuses what Open refuses without reading the file, and returns what tells that the
// file changed.
func Stat(path string, maxBytes int64) (fs.FileInfo, error) {
	f, info, err := open(path, maxBytes)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

// Unread returns the File at path as it was read before, without its bytes: no Engine
// loads it.
func Unread(path, sha256 string, size int64) *File {
	return &File{Path: path, Name: strings.TrimSuffix(filepath.Base(path), Extension), SHA256: sha256, Size: size}
}

func open(path string, maxBytes int64) (f *os.File, info fs.FileInfo, err error) {
	if f, err = openNoFollow(path); err != nil {
		return nil, nil, openError(path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	if info, err = f.Stat(); err != nil {
		return nil, nil, openError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, notRegular(path)
	}
	if err := checkOwner(f, info); err != nil {
		return nil, nil, err
	}
	switch size := info.Size(); {
	case size == 0:
		return nil, nil, abi.NewError(abi.CodePluginEmpty, "the plugin file is empty",
			"copy it again; the download or the build did not finish").WithDetail(path)
	case size > maxBytes:
		return nil, nil, tooLarge(path, size, maxBytes)
	}
	return f, info, nil
}

func tooLarge(path string, size, limit int64) error {
	return abi.NewError(abi.CodePluginTooLarge, "the plugin file is too large",
		"raise limits.module_size if the plugin is known to be that large").
		WithDetail(fmt.Sprintf("%s has %d bytes, the limit is %s", path, size, sizeText(limit)))
}

func notRegular(path string) *abi.Error {
	return abi.NewError(abi.CodePluginNotRegular, "the plugin is not a regular file",
		"put the module itself into the plugins folder, not a link to it").WithDetail(path)
}

func openError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return abi.NewError(abi.CodePluginUnknown, "there is no such plugin file",
			"list the installed ones with: pdpp-host plugins").WithDetail(path).Wrap(err)
	case isLink(err):
		return notRegular(path).Wrap(err)
	default:
		reason := err.Error()
		if pe, ok := errors.AsType[*os.PathError](err); ok {
			reason = pe.Err.Error()
		}
		return abi.NewError(abi.CodePluginUnreadable, "the plugin file cannot be read",
			"check the file's permissions").WithDetail(path + ": " + reason).Wrap(err)
	}
}
