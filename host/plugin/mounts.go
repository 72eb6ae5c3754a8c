package plugin

import (
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

func guestMounts(roots []Mount) []guest.Mount {
	out := make([]guest.Mount, len(roots))
	for i, r := range roots {
		out[i] = guest.Mount{Name: r.Name, Path: r.Path}
	}
	return out
}

// paths returns the folders of roots.
func paths(roots []Mount) []string {
	out := make([]string, len(roots))
	for i, r := range roots {
		out[i] = r.Path
	}
	return out
}

// openMounts opens every root. The guest reads through the folder's handle from then
// on, whatever happens to its path.
func openMounts(mounts []guest.Mount) ([]guest.Mount, error) {
	for i := range mounts {
		root, err := os.OpenRoot(mounts[i].Path)
		if err != nil {
			closeMounts(mounts)
			return nil, abi.NewError(abi.CodeRootInvalid, "a granted folder cannot be opened",
				"check that it exists and that you may read it").WithDetail(mounts[i].Path).Wrap(err)
		}
		mounts[i].Root = root
	}
	return mounts, nil
}

func closeMounts(mounts []guest.Mount) {
	for i := range mounts {
		if mounts[i].Root != nil {
			_ = mounts[i].Root.Close()
		}
	}
}
