package archive

import (
	"io/fs"
	"slices"
	"strings"
)

// File is an archive in a folder.
type File struct {
	Name          string
	Size, MTimeMS int64 // -1 for one that cannot be looked at
}

// maxFolder bounds the archives of one folder.
const maxFolder = 10_000

// Folder returns the archives right in a folder, by their names, which the services that
// make them begin with the time. It leaves hidden files out, and downloads that are not done,
// whose names end otherwise.
func Folder(fsys fs.FS) ([]File, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, asError(err)
	}
	var files []File
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if name[0] == '.' || !strings.HasSuffix(name, ".zip") && !strings.HasSuffix(name, ".tgz") && !strings.HasSuffix(name, ".tar.gz") {
			continue
		}
		f := File{Name: e.Name(), Size: -1, MTimeMS: -1}
		// Not e.Info: the target of a link counts.
		if info, err := fs.Stat(fsys, e.Name()); err == nil {
			if info.IsDir() {
				continue
			}
			f.Size, f.MTimeMS = info.Size(), info.ModTime().UnixMilli()
		}
		if files = append(files, f); len(files) > maxFolder {
			return nil, tooLarge("the folder has too many archives")
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}
