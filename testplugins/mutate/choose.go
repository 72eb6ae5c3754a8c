package main

import (
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// room is a folder that is mutated, and what is run for each mutation of it.
type room struct {
	folder string
	args   []string // of go test
	env    []string // and its environment, besides this program's
}

// rooms are those that `make mutate` is about: where a mistake costs an owner's data, or shows it
// to somebody. Most tests of a room of the store lie in package storage.
var rooms = []room{
	{folder: "host/run", args: []string{"-short", "./host/run"}},
	{folder: "host/run/internal/ledger", args: []string{"-short", "./host/run/internal/ledger", "./host/run"}},
	{folder: "storage/record", args: append(storeTests, "./storage/record")},
	{folder: "storage/run", args: storeTests},
	{folder: "storage/question", args: storeTests},
	{folder: "host/grant", args: []string{"./host/grant"}},
	{folder: "host/read", args: []string{"-short", "./host/read"}},
	{folder: "host/send", args: []string{"-short", "./host/send"}},
	{folder: "host/send/call", args: []string{"-short", "./host/send/call"}},
	{folder: "host/send/internal/pacing", args: []string{"-short", "./host/send/internal/pacing", "./host/send"}},
	{folder: "host/send/internal/ratelimit", args: []string{"./host/send/internal/ratelimit", "./host/send"}},
}

// storeTests leaves the tests of a server, of copies and of crashes out, which take minutes.
var storeTests = []string{"-short", "-skip", "Postgres|Copy|Crash|Full|Races|Bench", "./storage"}

// candidate is a mutation and the room that it is of.
type candidate struct {
	mutation

	room room
}

// candidates returns every mutation of a room.
func candidates(root string, r room) ([]candidate, error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(r.folder), "*.go"))
	if err != nil {
		return nil, err
	}
	var all []candidate
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := mutationsOf(path.Join(r.folder, name), src)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			all = append(all, candidate{m, r})
		}
	}
	return all, nil
}

// order puts the mutations of some rooms into the order in which they are tried: by chance within
// a room, and the rooms in turn, so that a small one has its share. The seed decides it.
func order(seed uint64, byRoom [][]candidate) []candidate {
	chance := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a seed has to make the same choice again
	var all []candidate
	left := 0
	for _, list := range byRoom {
		chance.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		left = max(left, len(list))
	}
	for n := range left {
		for _, list := range byRoom {
			if n < len(list) {
				all = append(all, list[n])
			}
		}
	}
	return all
}

// equivalents are the mutations that nobody can notice, with the reasons.
type equivalents map[string]string

// readEquivalents reads equivalent.txt: for each mutation four lines, which are its file and
// function, the line, the mutated line and the reason. Blank lines and those that begin with # say nothing.
func readEquivalents(text string) equivalents {
	const lines = 4
	all := equivalents{}
	var entry []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if entry = append(entry, line); len(entry) == lines {
			all[strings.Join(entry[:lines-1], "\n")] = entry[lines-1]
			entry = nil
		}
	}
	return all
}

func keyOf(m *mutation) string {
	return strings.TrimSpace(m.file+" "+m.in) + "\n" + m.was + "\n" + m.is
}

// stale returns the entries that no mutation of the rooms is.
func (e equivalents) stale(byRoom [][]candidate) (keys []string) {
	there := map[string]bool{}
	for _, list := range byRoom {
		for i := range list {
			there[keyOf(&list[i].mutation)] = true
		}
	}
	for key := range e {
		if !there[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
