package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// What is left on a disk before doctor speaks up, in bytes.
const (
	littleSpace = 2 << 30
	noSpace     = 200 << 20
)

// checkFolders looks at the folders that hold personal data, or code that will
// run: nobody else may write to them, and nobody else should read them.
func (a *app) checkFolders(f *findings, c *config.Config) {
	checkPrivate(f, "data folder", c.DataDir(), true)
	checkPrivate(f, "cache", filepath.Join(c.DataDir(), "cache"), false)
	if !c.StoreOnServer() {
		checkPrivate(f, "store file", c.StorageDSN(), false)
	}
}

// checkPrivate looks at one folder or file of the host's own.
func checkPrivate(f *findings, check, path string, writable bool) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.ok(check, path+", not made yet")
		return
	}
	if err != nil {
		f.add(check, broken, path+" cannot be looked at", "check the permissions of the folders above it")
		return
	}
	perm := info.Mode().Perm()
	switch {
	case runtime.GOOS == "windows": // permission bits say nothing there
	case perm&0o022 != 0:
		f.add(check, broken, fmt.Sprintf("%s can be written by others (mode %s)", path, perm), "chmod go-rwx "+path)
		return
	case perm&0o044 != 0:
		f.add(check, notice, fmt.Sprintf("%s can be read by others (mode %s)", path, perm), "chmod go-rwx "+path)
		return
	}
	if writable {
		probe, err := os.CreateTemp(path, ".doctor-*")
		if err != nil {
			f.add(check, broken, path+" cannot be written", "check its permissions, and whether its disk is mounted read-only")
			return
		}
		if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
			f.add(check, notice, "a probe file was left in "+path, "remove "+probe.Name())
			return
		}
	}
	f.ok(check, path)
}

// checkSandbox says how the system confines connectors.
func (a *app) checkSandbox(f *findings, c *config.Config) {
	switch s := modules.SandboxOf(c.Isolation(), plugin.Walls()); s.Hint {
	case "":
		f.ok("sandbox", s.Message)
	default:
		f.add("sandbox", notice, s.Message, s.Hint)
	}
}

// checkDisk looks at the room that is left where the store lies.
func (a *app) checkDisk(f *findings, c *config.Config) {
	dir := c.DataDir()
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	free, ok := owner.FreeBytes(dir)
	switch {
	case !ok:
		f.add("disk", notice, "the free space is unknown on this system", "")
	case free < noSpace:
		f.add("disk", broken, output.Bytes(int64(free))+" left for "+c.DataDir(), "make room, or move the data with --data-dir")
	case free < littleSpace:
		f.add("disk", notice, output.Bytes(int64(free))+" left for "+c.DataDir(), "a large source may not fit")
	default:
		f.ok("disk", output.Bytes(int64(free))+" left")
	}
}
