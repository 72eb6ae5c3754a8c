package sdk

import (
	"io/fs"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Roots lists the granted folders, in START's order.
func (h *Host) Roots() []abi.Root { return h.roots }

// Root returns the granted folder of that name, read-only, and whether there is
// one. Its files implement fs.File; it implements fs.StatFS and fs.ReadDirFS. A
// link that leads out of the folder is refused by the host.
func (h *Host) Root(name string) (fs.FS, bool) {
	for _, r := range h.roots {
		if r.Name == name {
			fsys := mount(h.link, r.Name, r.Path)
			return fsys, fsys != nil
		}
	}
	return nil, false
}
