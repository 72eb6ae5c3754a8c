//go:build !linux

package storage

const lockChildEnv = "PDPP_STORAGE_LOCK_CHILD"

func lockChild(string) {}
