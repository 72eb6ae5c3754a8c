package main

import (
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// fate is what becomes of a file in a folder of rollouts. Every file has one, and sort decides
// it.
type fate uint8

const (
	fateRule    fate = iota // passed over, by a rule below
	fateRollout             // read
	fatePacked              // unpacked and read
	fateTwice               // another file has all that it has
	fateBroken              // another file has all that can be read of it
	fateOld                 // known, and not read
	fateUnknown             // not understood
)

// fateOf tells a file by its name, which is a hint: byContent looks into one that it says nothing of.
func fateOf(p string) fate {
	name := path.Base(p)
	switch {
	case strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl"):
		return fateRollout
	case strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl"+zstd.Suffix):
		return fatePacked
	case strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".json"):
		return fateOld // of the first Codex, in TypeScript: one document a session
	case strings.HasSuffix(name, ".tmp"), strings.HasSuffix(name, ".lock"), name == ".DS_Store", strings.HasPrefix(name, "._"),
		name == "Thumbs.db", name == "desktop.ini":
		return fateRule // what Codex is writing, and what systems put into every folder
	}
	return fateUnknown
}

// sort takes what a file is for what becomes of it, and notes it when it is not read.
func (r *run) sort(p string, as fate) fate {
	switch as {
	case fateOld:
		r.problem(oldRollout, p)
	case fateUnknown:
		r.problem(notUnderstood, p)
	}
	r.fates[as]++
	return as
}

// plainName is the name of a rollout when it is not compressed.
func plainName(p string) string { return strings.TrimSuffix(path.Base(p), zstd.Suffix) }
