package files

import (
	"io/fs"
	"path"
	"strings"
)

// Outside lists the files below the folder dir of fsys that lie in no folder with a file named marker, nor below one:
// at most as many as most, of at most depth levels of folders. Paths are below dir, in the order of names. Links, what is
// hidden, and what systems and running programs leave are left out, and so is a folder that is deeper or cannot be
// listed. whole is false when there are more than most.
func Outside(fsys fs.FS, dir, marker string, depth, most int) (paths []string, whole bool) {
	whole = true
	var list func(below string, level int)
	list = func(below string, level int) {
		found, err := fs.ReadDir(fsys, path.Join(dir, below))
		if err != nil {
			return
		}
		for _, d := range found {
			if !d.IsDir() && d.Name() == marker {
				return
			}
		}
		for _, d := range found {
			switch p := path.Join(below, d.Name()); {
			case d.Type()&fs.ModeSymlink != 0, isLeft(d.Name()):
			case d.IsDir() && level < depth:
				list(p, level+1)
			case !d.Type().IsRegular():
			case len(paths) == most:
				whole = false
			default:
				paths = append(paths, p)
			}
		}
	}
	list("", 1)
	return paths, whole
}

// isLeft reports whether an entry is hidden, or one that systems and running programs leave.
func isLeft(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".lock") ||
		strings.EqualFold(name, "Thumbs.db") || strings.EqualFold(name, "desktop.ini")
}
