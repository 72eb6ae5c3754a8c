// Package atomicfile replaces a file as a whole: who reads its path finds what was there
// before or what was written, also after a loss of power.
//
// In: a path and bytes. Out: nothing, or the first error of the system, wrapped by nobody.
// It holds no state and is safe for concurrent use; of two that write one path, the last to
// end wins.
package atomicfile
