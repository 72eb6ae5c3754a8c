package home

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pdpp-host/pdpp-host/host/atomicfile"
)

// fileName is the file's in the data folder.
const fileName = "served.json"

// KnownFor is how long a data folder is said to be a copy, from when it was served first.
const KnownFor = 30 * 24 * time.Hour

// Place is where a data folder is.
type Place struct {
	Machine string `json:"machine"` // a hash of the machine's id; "": it has none
	Folder  string `json:"folder"`
}

// Home is where a data folder was served last, and what it was then a copy of.
type Home struct {
	Place

	Since  time.Time `json:"since"`
	CopyOf *Place    `json:"copy_of,omitempty"`
}

// Of returns the home of a data folder; nil: it was never served, or by an older version.
func Of(dir string) (*Home, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as it says
	}
	if err != nil {
		return nil, err
	}
	h := new(Home)
	if err := json.Unmarshal(text, h); err != nil {
		return nil, nil //nolint:nilnil,nilerr // it is of no use, and is written anew
	}
	return h, nil
}

// Settle keeps that a data folder is served from here on by this machine, and returns the place that it is a
// copy of; nil: it was served here before, nowhere, or was moved. A folder of this machine that is not there
// any more was moved; of another machine nobody knows.
func Settle(dir, machine string, now time.Time) (copyOf *Place, err error) {
	here := Place{machine, whole(dir)}
	before, err := Of(dir)
	if err != nil || before != nil && before.Place == here {
		return nil, err
	}
	if before != nil && before.copied(here) {
		copyOf = &before.Place
	}
	text, err := json.Marshal(Home{here, now.UTC(), copyOf})
	if err != nil { // of texts and a time, it never is
		return copyOf, err
	}
	return copyOf, atomicfile.Write(filepath.Join(dir, fileName), text)
}

// copied reports whether the folder at a place came from this home while that stayed where it was.
func (h *Home) copied(here Place) bool {
	if h.Machine != here.Machine {
		return true
	}
	there, err := os.Stat(filepath.Join(h.Folder, fileName))
	if err != nil {
		return false
	}
	own, err := os.Stat(filepath.Join(here.Folder, fileName))
	return err == nil && !os.SameFile(there, own) // another name of the same folder
}

// Said names a place to whoever is at a machine.
func (p *Place) Said(machine string) string {
	if p.Machine != machine {
		return p.Folder + " on another machine"
	}
	return p.Folder
}

// whole is a folder's own path.
func whole(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	return dir
}
