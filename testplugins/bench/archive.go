package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
)

// archive collects a generated export of Google, one zip read in place: throughput, and
// the peak memory of host and worker together.
func (b *bench) archive() error {
	title("google_takeout over one generated archive, whole process", "make bench BENCH='-only archive -n 2 -big 4GB -holes 20GB'")
	row("archive", "bytes unpacked", "bytes of the zip", "median", "MB/s unpacked", "processor time", "peak memory of host and worker")
	row("---", "---", "---", "---", "---", "---", "---")
	small := filepath.Join(b.dir, "small")
	if _, err := corpus.Write(corpus.Options{Kind: "google_takeout", Bytes: 100_000, Dir: small, Seed: 1}); err != nil {
		return err
	}
	if _, err := b.collectOnce(small); err != nil { // fills the cache of modules
		return err
	}
	for _, size := range []string{b.size, b.big} {
		if size == "" {
			continue
		}
		input := filepath.Join(b.dir, "export-"+size)
		n, err := corpus.ParseSize(size)
		if err != nil {
			return err
		}
		stats, err := corpus.Write(corpus.Options{Kind: "google_takeout", Bytes: n, Dir: input, Seed: 1})
		if err != nil {
			return err
		}
		if err := b.collectArchive(size, input, stats.Bytes); err != nil {
			return err
		}
	}
	if b.holes == "" {
		return nil
	}
	input := filepath.Join(b.dir, "holes")
	n, err := corpus.ParseSize(b.holes)
	if err == nil {
		err = writeHoles(input, n)
	}
	if err != nil {
		return err
	}
	return b.collectArchive(b.holes+" of holes", input, n)
}

// collectArchive measures the run over a folder, and removes it.
func (b *bench) collectArchive(name, input string, unpacked int64) error {
	size, err := treeSize(input)
	if err != nil {
		return err
	}
	var samples []sample
	for range b.runs {
		s, err := b.collectOnce(input)
		if err != nil {
			return err
		}
		samples = append(samples, s)
	}
	wall, cpu := median(walls(samples)), make([]time.Duration, len(samples))
	for i, s := range samples {
		cpu[i] = s.cpu
	}
	row(name, unpacked, size, wall.Round(time.Millisecond), float64(unpacked)/1e6/wall.Seconds(), median(cpu).Round(time.Millisecond),
		fmt.Sprintf("%d MB (largest %d MB)", median(peaks(samples))>>20, maxOf(peaks(samples))>>20))
	return os.RemoveAll(input)
}

// collectOnce collects a folder into a new store.
func (b *bench) collectOnce(input string) (sample, error) {
	data := filepath.Join(b.dir, "archive")
	if err := os.RemoveAll(data); err != nil {
		return sample{}, err
	}
	cmd, err := b.command(data, "run", "google_takeout", "--root", "google_takeout="+input, "--no-input", "--accept")
	if err != nil {
		return sample{}, err
	}
	return measure(cmd)
}

// writeHoles writes an archive whose mailbox has a message of n bytes that are all zero, and
// one behind it. The zeros are a hole in the file: they take no room on the disk.
func writeHoles(dir string, n int64) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "takeout-20260302T080000Z-001.zip"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	z := zip.NewWriter(&holes{f: f})
	w, err := z.CreateHeader(&zip.FileHeader{Name: "Takeout/Mail/All mail.mbox", Method: zip.Store})
	if err != nil {
		return err
	}
	const message = "From 1@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: a\n\n"
	if _, err := io.WriteString(w, message); err != nil {
		return err
	}
	if err := z.Flush(); err != nil {
		return err
	}
	for left := n; left > 0; left -= int64(len(zeros)) {
		if _, err := w.Write(zeros[:min(left, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(w, "\n\nFrom 2@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: b\n\n"); err != nil {
		return err
	}
	return z.Close()
}

var zeros = make([]byte, 1<<20)

// holes writes what is part of zeros as a hole.
type holes struct {
	f  *os.File
	at int64
}

func (h *holes) Write(b []byte) (int, error) {
	at := h.at
	h.at += int64(len(b))
	if &b[0] == &zeros[0] {
		return len(b), nil
	}
	_, err := h.f.WriteAt(b, at)
	return len(b), err
}
