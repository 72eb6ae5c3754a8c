package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// folder collects a generated Claude Code home: throughput, and the peak
// memory of host and worker together.
func (b *bench) folder() error {
	title("claude_code over a generated folder, whole process", "make bench BENCH='-only folder -big 2GB'")
	row("folder", "bytes", "median", "MB/s", "peak memory of host and worker")
	row("---", "---", "---", "---", "---")
	for _, size := range []string{b.size, b.big} {
		if size == "" {
			continue
		}
		input := filepath.Join(b.dir, "home-"+size)
		bytes, err := b.generate(size, input)
		if err != nil {
			return err
		}
		var samples []sample
		for i := range b.runs + 1 {
			data := filepath.Join(b.dir, "folder")
			if err := os.RemoveAll(data); err != nil {
				return err
			}
			cmd, err := b.command(data, "run", "claude_code", "--root", "claude_code="+input, "--no-input", "--accept")
			if err != nil {
				return err
			}
			s, err := measure(cmd)
			if err != nil {
				return err
			}
			if i > 0 {
				samples = append(samples, s)
			}
			if i == 2 && size == b.big {
				break // a big folder is for the memory figure: two runs
			}
		}
		wall := median(walls(samples))
		row(size, bytes, wall.Round(time.Millisecond), float64(bytes)/1e6/wall.Seconds(),
			fmt.Sprintf("%d MB (largest %d MB)", median(peaks(samples))>>20, maxOf(peaks(samples))>>20))
		if err := os.RemoveAll(input); err != nil {
			return err
		}
	}
	return nil
}

// generate makes a Claude Code home of about size bytes, and returns its real size.
func (b *bench) generate(size, out string) (int64, error) {
	gen := exec.Command("go", "run", "./testplugins/generate", "-kind", "claude_code", "-bytes", size, "-seed", "1", "-out", out)
	gen.Stderr = os.Stderr
	if err := gen.Run(); err != nil {
		return 0, err
	}
	return treeSize(out)
}

func maxOf(list []int64) int64 {
	_, hi := spread(list)
	return hi
}

func treeSize(root string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
