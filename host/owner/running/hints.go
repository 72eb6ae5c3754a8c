package running

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// orByPath gives the error of a changed module a hint that works for a module
// that was named by its path: the plugins folder may have none of its name.
func orByPath(typed, connection string, err error) error {
	var e *abi.Error
	if !modules.IsPath(typed) || !errors.As(err, &e) || e.Code != abi.CodePluginChanged {
		return err
	}
	verify := "pdpp-host plugins verify " + words.Quoted(typed)
	if connection != "" {
		verify += " --connection " + connection
	}
	return e.WithHint("see what changed with: " + verify + "   and accept it with: " + verify + " --accept").Wrap(err)
}

// OfConnection gives a refusal the hint that fits a connection that has folders of
// its own: leaving a flag out does not help it, nor would another folder be taken.
func OfConnection(home string, conn *storage.Connection, refusal error) error {
	var e *abi.Error
	if !errors.As(refusal, &e) {
		return refusal
	}
	change := "pdpp-host connections set " + words.Quoted(conn.Name) + " --root "
	hint := ""
	switch e.Code {
	case abi.CodeRootMissing:
		if root, path := goneFolder(run.Folders(conn)); root != "" {
			hint = "restore or mount " + words.Tilde(home, path) + ", or move the connection with: " + change + root + "=DIR --accept-root"
		} else if root, path := goneFolder(conn.Roots); root != "" {
			hint = "make or mount " + words.Tilde(home, path) + ", or name another folder with: " + change + root + "=DIR"
		}
	case abi.CodeRootChanged:
		folders := run.Folders(conn)
		for _, root := range slices.Sorted(maps.Keys(folders)) {
			path := folders[root]
			if strings.HasSuffix(e.Detail, "before it was "+path) {
				hint = "keep to the one of before with: " + change + root + "=" + words.Quoted(path) +
					"   or, if the folder has moved: " + change + root + "=DIR --accept-root"
			}
		}
	}
	detail := strings.Replace(e.Detail, ", from "+files.OriginFlag, ", the connection's own", 1) // nothing was typed
	if hint == "" {
		hint = e.Hint
	}
	return e.WithHint(hint).WithDetail(detail).Wrap(refusal)
}

// FolderGone reports whether a folder that the connection read is not there.
func FolderGone(conn *storage.Connection) bool {
	root, _ := goneFolder(run.Folders(conn))
	return root != ""
}

// goneFolder is the first of the folders that is not there; "" when all are.
func goneFolder(folders map[string]string) (root, path string) {
	for _, root := range slices.Sorted(maps.Keys(folders)) {
		if _, err := os.Stat(folders[root]); errors.Is(err, os.ErrNotExist) {
			return root, folders[root]
		}
	}
	return "", ""
}
