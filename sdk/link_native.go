//go:build !wasip1

package sdk

import (
	"io/fs"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

func mount(l link.Link, name, _ string) fs.FS {
	if n, ok := l.(link.Native); ok {
		return n.Mount(name)
	}
	return nil
}

func clock(l link.Link) time.Time {
	if n, ok := l.(link.Native); ok {
		return n.Clock()
	}
	return time.Time{}
}

func account(l link.Link, payload []byte) int32 { return l.Call(link.Account, payload) }

func enumerate(l link.Link, payload []byte) int32 { return l.Call(link.Enumerate, payload) }
