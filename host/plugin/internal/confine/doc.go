// Package confine takes from a worker process everything that it does not need,
// so that a guest which breaks out of WebAssembly finds nothing to break into.
//
// Harden runs when a worker starts, Restrict before the worker looks at the first
// byte of a module, Memory once the module is compiled. None of it can be undone
// by the process itself. On Linux, Landlock leaves the contents of the granted
// folders readable and nothing writable, and seccomp leaves the system calls that
// the Go runtime and reading files take: no sockets, no programs, no other process's
// memory, and no file opened to change it, which the Landlock of kernels before 6.2
// would let happen. Neither hides that a file elsewhere exists, its size and times,
// and where a link leads: Landlock governs no lstat and no readlink, and whoever reads
// folders needs both. Walls says which of these the running system has; other systems
// have none.
//
// The package is called from the worker (host/plugin) and knows neither guests
// nor modules.
package confine
