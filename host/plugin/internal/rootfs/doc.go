// Package rootfs shows a guest one host folder, read-only, and nothing outside it: a
// wazero file system over an *os.Root.
//
// The *os.Root refuses every path and every symbolic link, relative or absolute, that
// leaves the folder. This package adds that nothing can be written, that only regular
// files and folders open (a device or a socket is never touched, a named pipe never
// hangs), and that a link to the outside still appears in a listing and can be read as
// a link, so that a walk over the folder continues. A file that iCloud has taken off this
// machine appears under its own name and cannot be read. Paths come from the guest; file
// contents go to it.
package rootfs
