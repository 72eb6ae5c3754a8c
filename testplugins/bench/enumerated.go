package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// enumerated compares runs over a list that has not changed, with and without marking what was
// met, and then changes and shortens a list by a hundredth each.
func (b *bench) enumerated() error {
	title("A whole list enumerated, compared and swept", "make bench BENCH='-only enumerated'")
	const unchanged = 150_000
	data := filepath.Join(b.dir, "enumerated")
	if _, err := b.list(data, unchanged, 0, true); err != nil {
		return err
	}
	var plain, marked, again []time.Duration
	var spent, spentMarked []time.Duration
	for i := range 2*b.runs + 1 { // the first round warms up
		for _, side := range []string{"plain", "marked", "again"} {
			s, err := b.list(data, unchanged, 0, side == "marked")
			switch {
			case err != nil:
				return err
			case s.Unchanged != unchanged:
				return fmt.Errorf("got %d unchanged records, want %d", s.Unchanged, unchanged)
			case i == 0:
			case side == "plain":
				plain, spent = append(plain, s.wall), append(spent, s.cpu)
			case side == "marked":
				marked, spentMarked = append(marked, s.wall), append(spentMarked, s.cpu)
			default:
				again = append(again, s.wall)
			}
		}
	}
	row("", "median", "min", "max")
	row("---", "---", "---", "---")
	figureRow("150,000 unchanged records, a whole run", plain)
	figureRow("the same, enumerated and swept", marked)
	figureRow("**times as long**", ratios(marked, plain))
	figureRow("A/A control", ratios(again, plain))
	figureRow("processor time, times as much", ratios(spentMarked, spent))
	fmt.Println()
	row("records of the list", "run", "time", "new", "changed", "deleted", "unchanged", "peak memory of host and worker")
	row("---", "---", "---", "---", "---", "---", "---", "---")
	for _, n := range []int{100_000, 1_000_000} {
		for round := range 3 {
			s, err := b.list(data+strconv.Itoa(n), n, round, true)
			if err != nil {
				return err
			}
			row(n, round+1, s.wall, s.New, s.Changed, s.Deleted, s.Unchanged, strconv.FormatInt(s.rss>>20, 10)+" MB")
		}
		if err := os.RemoveAll(data + strconv.Itoa(n)); err != nil {
			return err
		}
	}
	return os.RemoveAll(data)
}

// listed is what a run over the list did.
type listed struct {
	sample `json:"-"`

	New       int64 `json:"new"`
	Changed   int64 `json:"changed"`
	Deleted   int64 `json:"deleted"`
	Unchanged int64 `json:"unchanged"`
}

// list runs the firehose over n records in a round.
func (b *bench) list(data string, n, round int, enumerated bool) (listed, error) {
	cmd, err := b.command(data, "run", "firehose", "--set", "records="+strconv.Itoa(n), "--set", "round="+strconv.Itoa(round),
		"--set", "enumerated="+strconv.FormatBool(enumerated), "--no-input", "--accept", "--json")
	if err != nil {
		return listed{}, err
	}
	s, err := measure(cmd)
	if err != nil {
		return listed{}, err
	}
	var said struct {
		Result struct {
			Records map[string]listed `json:"records"`
		} `json:"result"`
	}
	if err := json.Unmarshal(s.out, &said); err != nil {
		return listed{}, err
	}
	out := said.Result.Records["records"]
	out.sample = s
	return out, nil
}
