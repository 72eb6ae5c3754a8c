// Package confine takes from a worker process everything that it does not need, so
// that a guest that breaks out of WebAssembly finds nothing to use.
//
// Harden runs when a worker starts, Restrict before the worker reads the first byte of
// a module, Memory once the module is compiled. The process cannot undo any of them.
// On Linux, Landlock leaves the contents of the granted folders readable and nothing
// writable, and seccomp leaves the system calls that the Go runtime and reading files
// need: no sockets, no programs, no access to other processes' memory, and no file
// opened for a change, which the Landlock of kernels before 6.2 would allow. Neither
// hides the existence, size and times of other files, nor the target of a link:
// Landlock does not govern lstat and readlink, which a reader of folders needs. Walls
// reports which walls the running system has; systems other than Linux have none.
//
// The worker (host/plugin) calls the package, which knows neither guests nor modules.
package confine
