package profile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	captures    = ".captures" // beside the profiles: what was captured of their pages
	captureTime = "20060102T150405.000000000Z"
	captureEnd  = ".txt"

	// CaptureKept is how long a capture is kept.
	CaptureKept = 7 * 24 * time.Hour
)

// Capture is a capture of a page that is kept.
type Capture struct {
	ID    string
	At    time.Time
	Bytes int64
}

// Capture keeps what was captured of a page, as private as the profile and not in it.
func (h *Held) Capture(at time.Time, text []byte) (id string, err error) {
	all, err := os.OpenRoot(filepath.Dir(h.Path))
	if err != nil {
		return "", err
	}
	defer all.Close()
	dir, err := folder(all, captures)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	own, err := folder(dir, filepath.Base(h.Path))
	if err != nil {
		return "", err
	}
	defer own.Close()
	id = at.UTC().Format(captureTime)
	f, err := own.OpenFile(id+captureEnd, os.O_WRONLY|os.O_CREATE|os.O_EXCL, lockMode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, own.Remove(id+captureEnd))
	}
	return id, nil
}

// Captures returns the captures of a profile in dir, the oldest first.
func Captures(dir, profile string, now time.Time) ([]Capture, error) {
	own, err := capturesOf(dir, profile)
	if own == nil {
		return nil, err
	}
	defer own.Close()
	entries, err := fs.ReadDir(own.FS(), ".")
	if err != nil {
		return nil, err
	}
	var all []Capture
	for _, e := range entries {
		id, _ := strings.CutSuffix(e.Name(), captureEnd)
		at, err := time.Parse(captureTime, id)
		info, gone := e.Info()
		if err == nil && gone == nil && e.Type().IsRegular() && now.Sub(at) <= CaptureKept {
			all = append(all, Capture{id, at, info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b Capture) int { return a.At.Compare(b.At) })
	return all, nil
}

// ReadCapture returns the text of a capture of a profile in dir.
func ReadCapture(dir, profile, id string) ([]byte, error) {
	unknown := abi.NewError(abi.CodeBrowserCapture, "there is no such capture", "they are removed after seven days")
	if _, err := time.Parse(captureTime, id); err != nil {
		return nil, unknown
	}
	own, err := capturesOf(dir, profile)
	if own == nil {
		return nil, errors.Join(err, unknown)
	}
	defer own.Close()
	text, err := own.ReadFile(id + captureEnd)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown
	}
	return text, err
}

// capturesOf opens the folder with the captures of a profile; nil: there is none.
func capturesOf(dir, profile string) (*os.Root, error) {
	if !name.MatchString(profile) {
		return nil, nil //nolint:nilnil // nothing is called so
	}
	all, err := os.OpenRoot(dir)
	if err == nil {
		defer all.Close()
		var own *os.Root
		if own, err = all.OpenRoot(path.Join(captures, profile)); err == nil {
			return own, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, err
}

// SweepCaptures removes the captures in dir that are too old, of every profile.
func SweepCaptures(dir string, now time.Time) error {
	all, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer all.Close()
	found, err := fs.Glob(all.FS(), path.Join(captures, "*", "*"+captureEnd))
	for _, file := range found {
		at, wrong := time.Parse(captureTime, strings.TrimSuffix(path.Base(file), captureEnd))
		if wrong == nil && now.Sub(at) > CaptureKept {
			if gone := all.Remove(file); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}
