// Package files decides which folders a run's filesystem binding grants: the
// operator's own choice, else the environment variable that the manifest names, else
// the manifest's default under the user's home.
//
// It inspects folders and reads no file in them: host/plugin mounts the result
// read-only and through os.Root. In: a checked manifest and the operator's choices.
// Out: absolute paths with their mount names and origins, or one files.* error.
package files
