package words

import (
	"path/filepath"
)

// Tilde shortens a path below the home folder, for people.
func Tilde(home, path string) string {
	if home == "" {
		return path
	}
	if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}
