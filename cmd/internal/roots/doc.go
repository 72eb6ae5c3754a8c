// Package roots stands between host/files, which decides what folders a connector
// may read, and host/run, which hands them to it.
package roots
