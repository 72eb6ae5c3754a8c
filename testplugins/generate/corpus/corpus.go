package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// Options describes the folder to write.
type Options struct {
	Kind  string // one of Kinds
	Bytes int64  // about how much; the last file may exceed it by some lines
	Dir   string // empty or absent; made when absent
	Seed  uint64
}

// Stats counts the written files.
type Stats struct {
	Bytes int64
	Files int64
	Lines int64
	// Items are those that the files have for each stream of the connector. Lines that are no record
	// count where the connector counts them: with the stream of its messages.
	Items map[string]int64
}

// kinds has one writer for each kind of folder.
var kinds = []struct {
	name  string
	write func(*writer, int64)
}{
	{"claude_code", writeClaudeCode},
	{"codex", writeCodex},
	{"google_takeout", writeTakeout},
	{"calendar_files", writeICal},
	{"twitter_archive", writeTwitter},
}

// Kinds returns the kinds that Write knows.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// epoch is the first moment in a corpus.
var epoch = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// Write writes a folder. It refuses a folder that is not empty.
func Write(o Options) (Stats, error) {
	if o.Dir == "" {
		return Stats{}, fmt.Errorf("no folder to write to: give one that is empty or absent")
	}
	for _, k := range kinds {
		if k.name != o.Kind {
			continue
		}
		if err := os.MkdirAll(o.Dir, 0o750); err != nil {
			return Stats{}, err
		}
		entries, err := os.ReadDir(o.Dir)
		if err != nil {
			return Stats{}, err
		}
		if len(entries) > 0 {
			return Stats{}, fmt.Errorf("%s is not empty: give a folder that is empty or absent", o.Dir)
		}
		source := rand.New(rand.NewPCG(o.Seed, 0x70647070)) //nolint:gosec // the same seed has to give the same bytes
		w := &writer{dir: o.Dir, rand: source, now: epoch, stats: Stats{Items: map[string]int64{}}}
		k.write(w, o.Bytes)
		w.close()
		return w.stats, w.err
	}
	return Stats{}, fmt.Errorf("unknown kind %q: one of %s", o.Kind, strings.Join(Kinds(), ", "))
}

// units of ParseSize, the longest names first.
var units = []struct {
	name string
	size int64
}{
	{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1},
}

// ParseSize reads a size such as 500MB: decimal units, in any case.
func ParseSize(s string) (int64, error) {
	text := strings.ToUpper(strings.TrimSpace(s))
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > 1e15/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("%q is no size: give a number with an optional kB, MB or GB", s)
}
