package vault

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/atomicfile"
)

// maxKeyFile bounds the size of a key file.
const maxKeyFile = 4 << 10

// CheckFile returns the problem of the key file in dir: vault.key_unsafe or
// vault.key_unreadable. found is false if there is no file.
func CheckFile(dir string) (found bool, err error) {
	id, err := readFile(filepath.Join(dir, KeyFile))
	return id != nil || err != nil, err
}

// readFile returns the key in the file at path, nil if there is no file. It refuses a
// file that others could have read or written: its content may not be secret any more,
// or not ours.
func readFile(path string) (*age.X25519Identity, error) {
	f, err := openNoFollow(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case isLink(err):
		return nil, unsafeFile(path, "it is a link", "put the file itself there")
	case err != nil:
		return nil, unreadable(path + ": " + reason(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(path + ": " + reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, unsafeFile(path, "it is not a regular file", "put the file itself there")
	}
	if err := checkOwner(path, info); err != nil {
		return nil, err
	}
	text := make([]byte, maxKeyFile)
	defer clear(text)
	n, err := io.ReadFull(f, text)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, unreadable(path)
	}
	id := parseKey(text[:n])
	if id == nil {
		return nil, unreadable(path)
	}
	return id, nil
}

// parseKey reads one key in age's own format: lines that begin with # are comments. It
// drops the parser's message, which quotes the key.
func parseKey(text []byte) *age.X25519Identity {
	var id *age.X25519Identity
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		next, err := age.ParseX25519Identity(string(line))
		if err != nil || id != nil {
			return nil
		}
		id = next
	}
	return id
}

// createFile stores id in a new file at path and returns it, or returns the key that
// another process has stored there meanwhile. The file has its content from the first
// moment: it is written under another name and then given this one, which fails if the
// name is taken.
func createFile(path string, id *age.X25519Identity) (*age.X25519Identity, error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+KeyFile+"-*") // O_EXCL, mode 0600
	if err != nil {
		return nil, unwritable(path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // one name is left, or none
	text := []byte("# public key: " + id.Recipient().String() + "\n" + id.String() + "\n")
	defer clear(text)
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, unwritable(path, err)
	}
	switch err := os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return rereadFile(path)
	case err != nil:
		// A file system without hard links: take the name first.
		if err := writeNew(path, text); errors.Is(err, fs.ErrExist) {
			return rereadFile(path)
		} else if err != nil {
			return nil, unwritable(path, err)
		}
	}
	if err := atomicfile.SyncDir(dir); err != nil {
		return nil, unwritable(path, err)
	}
	return id, nil
}

func rereadFile(path string) (*age.X25519Identity, error) {
	id, err := readFile(path)
	if id == nil && err == nil {
		return nil, unreadable(path)
	}
	return id, err
}

func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func unsafeFile(path, problem, hint string) error {
	return abi.NewError(CodeKeyUnsafe, "the key file is not safe: "+problem, hint).WithDetail(path)
}
