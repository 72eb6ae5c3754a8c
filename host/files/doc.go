// Package files decides which folders a run's filesystem binding grants: the
// operator's own choice, else the environment variable that the manifest names,
// else the manifest's default under the user's home.
//
// It looks at folders and reads none of them: host/plugin mounts what is
// decided here, read-only and through os.Root. In: a checked manifest and the
// operator's choices. Out: absolute paths with their mount names and origins,
// or one files.* error.
package files
