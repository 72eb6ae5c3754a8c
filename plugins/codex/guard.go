package main

import (
	"io"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// guardBytes is how much of a rollout's beginning is hashed, and tailBytes how much of
// the end of the part read.
const (
	guardBytes = 64 << 10
	tailBytes  = 4 << 10
)

// plan is how to read a rollout, given its state.
type plan uint8

const (
	planSkip    plan = iota // nothing changed
	planAppend              // the part read did not change; read on
	planRebuild             // new, truncated or rewritten
)

// decide compares a file with the part read of it. It opens the file only when size or
// time differ.
func decide(f *rolloutFile, s *rolloutState) (plan, error) {
	switch {
	case s == nil || f.size < s.offset:
		return planRebuild, nil
	case f.size == s.observed && f.mtimeMS == s.mtimeMS:
		return planSkip, nil
	case s.offset == 0:
		return planRebuild, nil
	}
	file, err := f.root.Open(f.name)
	if err != nil {
		return planSkip, err
	}
	defer file.Close()
	head, tail, err := guards(file, s.offset)
	if err != nil {
		return planSkip, err
	}
	if s.guard != min(s.offset, guardBytes) || head != s.head || tail != s.tail {
		return planRebuild, nil
	}
	return planAppend, nil
}

// guards hashes the beginning of the first offset bytes and their end.
func guards(file fs.File, offset int64) (head, tail string, err error) {
	seeker, ok := file.(io.ReadSeeker)
	if !ok {
		return "", "", fs.ErrInvalid
	}
	buf := make([]byte, min(offset, guardBytes))
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return "", "", err
	}
	if _, err := io.ReadFull(seeker, buf); err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(buf)
	head = hexText(sum[:])
	n := min(offset, tailBytes)
	if _, err := seeker.Seek(offset-n, io.SeekStart); err != nil {
		return "", "", err
	}
	if _, err := io.ReadFull(seeker, buf[:n]); err != nil {
		return "", "", err
	}
	sum = sha256.Sum256(buf[:n])
	return head, hexText(sum[:8]), nil
}
