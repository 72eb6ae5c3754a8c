package roots

import (
	"path/filepath"
	"strings"
)

// Absolute makes a path that an owner typed independent of where it was typed.
func Absolute(home, path string) (string, error) {
	if home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		return filepath.Join(home, path[1:]), nil
	}
	return filepath.Abs(path)
}
