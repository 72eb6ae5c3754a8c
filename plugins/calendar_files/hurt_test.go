package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// hurtFS is a folder in which one place cannot be opened, or fails behind so many bytes.
type hurtFS struct {
	fs.FS

	at    string
	after int // -1: it is not opened
}

type failing struct {
	fs.File

	left int
}

func (f hurtFS) Open(name string) (fs.File, error) {
	if name != f.at {
		return f.FS.Open(name)
	}
	if f.after < 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	file, err := f.FS.Open(name)
	return &failing{file, f.after}, err
}

func (f *failing) Read(b []byte) (int, error) {
	n, err := f.File.Read(b[:min(len(b), f.left)])
	if f.left -= n; f.left == 0 {
		err = errors.New("the disk is gone")
	}
	return n, err
}

var _ io.Reader = (*failing)(nil)

// AC-09: no event and no calendar is deleted because a file, or a folder, cannot be read any more, or not to its end,
// whatever is asked for.
func TestNothingIsDeletedForWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	base := func() *folder {
		f := newFolder()
		f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
		f.write("sub/b.ics", vcalendar(vevent("3", "three"), vevent("4", "four")))
		f.write("c.ics", vcalendar(vevent("5", "five"))+strings.Replace(vcalendar(vevent("6", "six")), "Home", "Work", 1))
		f.write("d.txt", vcalendar(vevent("7", "seven"), vevent("8", "eight")))
		f.raw("e.ics", "\xff\xfe"+wide(vcalendar(vevent("9", "nine"), vevent("10", "ten")), false))
		return f
	}
	type hurt = func(f *folder, name string) (at string, after int)
	put := func(to func(data []byte) []byte) hurt {
		return func(f *folder, name string) (string, int) {
			f.raw(name, string(to(bytes.Clone(f.files[name].Data))))
			return "", 0
		}
	}
	kind := func(mode fs.FileMode, data string) hurt {
		return func(f *folder, name string) (string, int) {
			f.files[name] = &fstest.MapFile{Data: []byte(data), Mode: mode, ModTime: f.clock}
			return "", 0
		}
	}
	touched := func(after int) hurt {
		return func(f *folder, name string) (string, int) {
			f.raw(name, string(f.files[name].Data))
			return name, after
		}
	}
	hurts := map[string]hurt{
		"cannot be opened":                     touched(-1),
		"is in a folder that cannot be listed": func(_ *folder, name string) (string, int) { return path.Dir(name), -1 },
		"has no byte":                          put(func([]byte) []byte { return nil }),
		"has blanks":                           put(func(data []byte) []byte { return bytes.Repeat([]byte(" \n"), len(data)) }),
		"has zeros":                            put(func(data []byte) []byte { return make([]byte, len(data)) }),
		"is another text":                      put(func([]byte) []byte { return []byte("hello") }),
		"is a page":                            put(func([]byte) []byte { return []byte("<html><body>Sign in</body></html>") }),
		"is an archive":                        put(func([]byte) []byte { return []byte("PK\x03\x04 and more") }),
		"is a pipe":                            kind(fs.ModeNamedPipe, ""),
		"is a link to nowhere":                 kind(fs.ModeSymlink, "nowhere"),
		"is a link to a folder":                kind(fs.ModeSymlink, "."),
		"has another beginning":                put(func(data []byte) []byte { return bytes.Replace(data, []byte("B"), []byte("X"), 1) }),
		"has no first line":                    put(func(data []byte) []byte { return data[bytes.IndexByte(data, '\n')+1:] }),
	}
	for _, i := range []int{7, 23, 33} { // of a file with two calendars that is cut between them nobody can tell
		at := func(data []byte) int { return i * len(data) / 40 }
		hurts[fmt.Sprintf("is cut at %d of 40", i)] = put(func(data []byte) []byte { return data[:at(data)] })
		hurts[fmt.Sprintf("has no beginning up to %d of 40", i)] = put(func(data []byte) []byte { return data[at(data):] })
		hurts[fmt.Sprintf("has zeros from %d of 40 on", i)] = put(func(data []byte) []byte { clear(data[at(data):]); return data })
		hurts[fmt.Sprintf("has zeros at %d of 40", i)] = put(func(data []byte) []byte { clear(data[at(data) : at(data)+9]); return data })
		hurts[fmt.Sprintf("fails behind %d bytes", 11*i)] = touched(11 * i)
	}
	first := base().collect(t)
	for _, name := range []string{"a.ics", "sub/b.ics", "c.ics", "d.txt", "e.ics"} {
		for what, hurt := range hurts {
			if path.Dir(name) == "." && strings.Contains(what, "folder that") {
				continue
			}
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
					for _, streams := range [][]string{nil, {streamEvents}, {streamCalendars}} {
						f := base()
						at, after := hurt(f, name)
						last := first
						for range 2 {
							last = last.SecondRun(t, func(o *sdktest.Options) {
								o.Mode, o.Streams, o.Roots = mode, streams, map[string]fs.FS{rootName: hurtFS{f, at, after}}
							})
						}
						for _, stream := range []string{streamEvents, streamCalendars} {
							for key := range first.Stored()[stream] {
								if _, there := last.Stored()[stream][key]; !there {
									t.Errorf("%s of %q: the record %s of %s is gone", mode, streams, key, stream)
								}
							}
						}
					}
				}
			})
		}
	}
}
