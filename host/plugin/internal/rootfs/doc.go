// Package rootfs shows a guest one host folder, read-only, and nothing beside
// it: a file system of wazero's kind over an *os.Root.
//
// The *os.Root refuses every path and every symbolic link, relative or
// absolute, that leaves the folder; this package adds that nothing can be
// written, that only regular files and folders open (a device or a socket is
// never touched, a named pipe never hangs), and that a link that leads outside
// still shows up in a listing and can be read as a link, so that a walk over
// the folder goes on. Paths come in from the guest; file contents go out to it.
package rootfs
