package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is one whole run of a process.
type sample struct {
	wall time.Duration
	cpu  time.Duration // of the process and of the children that it waited for
	rss  int64         // peak of the sum over the process and its children, bytes; 0 where unknown
	out  []byte        // printed result
}

// measure runs cmd to its end.
func measure(cmd *exec.Cmd) (sample, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var peak int64
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return sample{}, fmt.Errorf("%w\n%s%s", err, out.Bytes(), said.Bytes())
			}
			wall, state := time.Since(began), cmd.ProcessState
			return sample{wall: wall, cpu: state.UserTime() + state.SystemTime(), rss: peak, out: out.Bytes()}, nil
		case <-tick.C:
			peak = max(peak, treeRSS(cmd.Process.Pid))
		}
	}
}

// treeRSS sums the resident memory of a process and its children.
func treeRSS(pid int) int64 {
	sum := rss(pid)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		b, _ := os.ReadFile(path)
		for f := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				sum += rss(child)
			}
		}
	}
	return sum
}

func rss(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

func median[T int64 | float64 | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

func walls(samples []sample) []time.Duration {
	out := make([]time.Duration, len(samples))
	for i, s := range samples {
		out[i] = s.wall
	}
	return out
}

func peaks(samples []sample) []int64 {
	out := make([]int64, len(samples))
	for i, s := range samples {
		out[i] = s.rss
	}
	return out
}

// ratios divides pair by pair: a machine that slows down slows both sides.
func ratios(a, b []time.Duration) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = float64(a[i]) / float64(b[i])
	}
	return out
}

func row(cells ...any) {
	parts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case time.Duration:
			parts[i] = c.Round(time.Millisecond / 10).String()
		case float64:
			parts[i] = strconv.FormatFloat(c, 'f', 3, 64)
		default:
			parts[i] = fmt.Sprint(c)
		}
	}
	fmt.Println("| " + strings.Join(parts, " | ") + " |")
}

func title(s, command string) {
	fmt.Printf("\n### %s\n\n`%s`\n\n", s, command)
}

func spread[T int64 | float64 | time.Duration](list []T) (T, T) {
	return slices.Min(list), slices.Max(list)
}
