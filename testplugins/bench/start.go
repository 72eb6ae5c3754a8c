package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// start measures the wait of a user before anything happens: a run of one record with
// the module in the cache, and `version`.
func (b *bench) start() error {
	title("Starting", "make bench BENCH='-only start'")
	data := filepath.Join(b.dir, "start")
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	var one, again, version []time.Duration
	for i := range 2*b.runs + 1 {
		for _, side := range []string{"one", "version", "again"} {
			args := []string{"run", "firehose", "--set", "records=1", "--full-refresh", "--no-input"}
			if i == 0 {
				args = append(args, "--accept") // once, as its owner does
			}
			if side == "version" {
				args = []string{"version"}
			}
			cmd, err := b.command(data, args...)
			if err != nil {
				return err
			}
			s, err := measure(cmd)
			if err != nil {
				return err
			}
			switch {
			case i == 0:
			case side == "one":
				one = append(one, s.wall)
			case side == "again":
				again = append(again, s.wall)
			default:
				version = append(version, s.wall)
			}
		}
	}
	row("", "median", "min", "max")
	row("---", "---", "---", "---")
	lo, hi := spread(one)
	row("one-record run, cached module, whole process", median(one), lo, hi)
	lo, hi = spread(version)
	row("version", median(version), lo, hi)
	rlo, rhi := spread(ratios(one, again))
	row("A/A control (one-record run against itself)", median(ratios(one, again)), rlo, rhi)
	return nil
}

// boundary runs the boundary's own benchmarks.
func (b *bench) boundary() error {
	title("One record at the boundary", "go test ./host/boundary -run '^$' -bench . -benchmem")
	cmd := exec.Command("go", "test", "./host/boundary", "-run", "^$", "-bench", ".", "-benchmem", "-count", "3")
	out, err := cmd.CombinedOutput()
	os.Stdout.WriteString("```\n" + strings.TrimSpace(string(out)) + "\n```\n")
	return err
}
