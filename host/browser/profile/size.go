package profile

import (
	"errors"
	"io/fs"
	"os"
)

// Size is how large a profile is.
type Size struct {
	Name  string
	Bytes int64
}

// Sizes returns the profiles in dir with their sizes, by name. It leaves out files that vanish
// meanwhile, because a browser runs.
func Sizes(dir string) ([]Size, error) {
	all, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer all.Close()
	entries, err := fs.ReadDir(all.FS(), ".")
	if err != nil {
		return nil, err
	}
	var sizes []Size
	for _, e := range entries {
		if e.IsDir() && name.MatchString(e.Name()) {
			sizes = append(sizes, Size{e.Name(), bytesIn(all.FS(), e.Name())})
		}
	}
	return sizes, nil
}

// Bytes returns how many bytes the files of the profile have while its browser runs: it leaves out those
// that vanish meanwhile.
func (h *Held) Bytes() int64 { return bytesIn(h.root.FS(), ".") }

func bytesIn(files fs.FS, dir string) (n int64) {
	_ = fs.WalkDir(files, dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it is left out
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
