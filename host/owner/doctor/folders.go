package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pdpp-host/pdpp-host/host/owner/disk"
	"github.com/pdpp-host/pdpp-host/host/owner/home"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
)

// Free room on a disk below which doctor warns, and below which it finds a problem, in bytes.
const (
	littleSpace = 2 << 30
	noSpace     = 200 << 20
)

// folders looks at the folders that hold personal data, or code that will
// run: nobody else may write to them, and nobody else should read them.
func (e *exam) folders() {
	c := e.Config
	e.private("data folder", c.DataDir(), true)
	e.private("cache", filepath.Join(c.DataDir(), "cache"), false)
	if !c.StoreOnServer() {
		e.private("store file", c.StorageDSN(), false)
	}
	e.copied()
}

// copied says of what the data folder is a copy, for a while after it was served first.
func (e *exam) copied() {
	h, err := home.Of(e.Config.DataDir())
	if err != nil || h == nil || h.CopyOf == nil || e.Now().After(h.Since.Add(home.KnownFor)) {
		return
	}
	e.add("data folder", Notice, "it is a copy of "+h.CopyOf.Said(holder.Machine())+", and serves since "+words.Timestamp(h.Since),
		"let only one of the two serve: each collects by itself, and does not see the other")
}

// private looks at one folder or file of the host's own.
func (e *exam) private(check, path string, writable bool) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		e.ok(check, path+", not made yet")
		return
	}
	if err != nil {
		e.add(check, Broken, path+" cannot be looked at", "check the permissions of the folders above it")
		return
	}
	perm := info.Mode().Perm()
	switch {
	case runtime.GOOS == "windows": // permission bits say nothing there
	case perm&0o022 != 0:
		e.add(check, Broken, fmt.Sprintf("%s can be written by others (mode %s)", path, perm), "chmod go-rwx "+path)
		return
	case perm&0o044 != 0:
		e.add(check, Notice, fmt.Sprintf("%s can be read by others (mode %s)", path, perm), "chmod go-rwx "+path)
		return
	}
	if writable {
		probe, err := os.CreateTemp(path, ".doctor-*")
		if err != nil {
			e.add(check, Broken, path+" cannot be written", "check its permissions, and whether its disk is mounted read-only")
			return
		}
		if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
			e.add(check, Notice, "a probe file was left in "+path, "remove "+probe.Name())
			return
		}
	}
	e.ok(check, path)
}

// sandbox says how the system confines connectors.
func (e *exam) sandbox() {
	switch s := modules.SandboxOf(e.Config.Isolation(), plugin.Walls()); s.Hint {
	case "":
		e.ok("sandbox", s.Message)
	default:
		e.add("sandbox", Notice, s.Message, s.Hint)
	}
}

// disk looks at the room that is left where the store lies.
func (e *exam) disk() {
	c := e.Config
	dir := c.DataDir()
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	free, ok := disk.Free(dir)
	switch {
	case !ok:
		e.add("disk", Notice, "the free space is unknown on this system", "")
	case free < noSpace:
		e.add("disk", Broken, words.Bytes(int64(free))+" left for "+c.DataDir(), "make room, or move the data with --data-dir")
	case free < littleSpace:
		e.add("disk", Notice, words.Bytes(int64(free))+" left for "+c.DataDir(), "a large source may not fit")
	default:
		e.ok("disk", words.Bytes(int64(free))+" left")
	}
}
