package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

type options struct {
	runs    int
	records int
	fetches int
	plain   string
	size    string
	big     string
	holes   string
	only    string
	dir     string

	deviceSize string

	readRecords, requests int // of the figures of reads
	crowded               int // grants of the figures of a crowd
}

type bench struct {
	options
	host, collector string
}

func main() {
	var o options
	flag.IntVar(&o.runs, "n", 5, "counted runs of each side")
	flag.IntVar(&o.records, "records", 400_000, "records of the firehose")
	flag.IntVar(&o.fetches, "fetches", 5000, "requests of the fetch figure")
	flag.StringVar(&o.plain, "plain", "", "be the plain client of the fetch figure, against this address")
	flag.StringVar(&o.size, "size", "500MB", "size of the generated folder")
	flag.StringVar(&o.big, "big", "", "also collect a folder, or an archive, of this size, for the memory figure (2GB)")
	flag.StringVar(&o.holes, "holes", "", "also collect an archive with a mailbox of so many zeros, which take no room (20GB)")
	flag.StringVar(&o.deviceSize, "device-size", "100MB", "size of the generated folder that a local collector delivers")
	flag.IntVar(&o.readRecords, "read-records", 1_000_000, "records of the figures of reads")
	flag.IntVar(&o.crowded, "grants", 10_000, "grants of other apps in the figures of a crowd")
	flag.IntVar(&o.requests, "requests", 300, "requests of each figure of reads")
	flag.StringVar(&o.only, "only", "firehose,indexed,enumerated,folder,archive,device,start,boundary,fetch,ready,idle,shown,watched,reads,crowd,flood", "figures to measure")
	flag.StringVar(&o.dir, "dir", "", "where to work; empty: a temporary folder")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.plain != "" {
		return plain(o.plain, o.fetches)
	}
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "pdpp-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.dir = dir
	}
	b := &bench{options: o, host: filepath.Join(o.dir, "pdpp-host"), collector: filepath.Join(o.dir, "pdpp-local-collector")}
	if err := b.build(); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		run  func() error
	}{
		{"firehose", b.firehose}, {"indexed", b.indexed}, {"enumerated", b.enumerated}, {"folder", b.folder}, {"archive", b.archive}, {"device", b.device}, {"start", b.start},
		{"boundary", b.boundary}, {"fetch", b.fetch},
		{"ready", console("ready", b.ready)}, {"idle", console("idle", b.idle)}, {"shown", console("shown", b.shown)}, {"watched", console("watched", b.watched)}, {"reads", b.reads}, {"crowd", b.crowd}, {"flood", b.flood},
	} {
		if !strings.Contains(","+o.only+",", ","+f.name+",") {
			continue
		}
		if err := f.run(); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func (b *bench) plugins() string { return filepath.Join(b.dir, "plugins") }

func (b *bench) build() error {
	if err := os.MkdirAll(b.plugins(), 0o700); err != nil {
		return err
	}
	for out, pkg := range map[string]string{b.host: "./cmd/pdpp-host", b.collector: "./cmd/pdpp-local-collector"} {
		if err := goBuild(nil, "-trimpath", "-ldflags=-s -w", "-o", out, pkg); err != nil {
			return err
		}
	}
	wasm := []string{"GOOS=wasip1", "GOARCH=wasm"}
	for name, pkg := range map[string]string{
		"firehose": "./testplugins/guests/firehose", "downloader": "./testplugins/guests/downloader", "scripted": "./testplugins/guests/scripted", "claude_code": "./plugins/claude_code",
		"google_takeout": "./plugins/google_takeout",
	} {
		out := filepath.Join(b.plugins(), name+".wasm")
		if err := goBuild(wasm, "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, pkg); err != nil {
			return err
		}
	}
	return nil
}

func goBuild(env []string, args ...string) error {
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// command is a host command with a separate data folder and a module cache that all
// commands share.
func (b *bench) command(data string, args ...string) (*exec.Cmd, error) {
	return b.commandOf(b.host, data, args...)
}

func (b *bench) commandOf(program, data string, args ...string) (*exec.Cmd, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	cache := filepath.Join(b.dir, "cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(cache, filepath.Join(data, "cache")); err != nil && !os.IsExist(err) {
		return nil, err
	}
	cmd := exec.Command(program, append([]string{"--data-dir", data, "--plugins", b.plugins(), "--quiet"}, args...)...)
	cmd.Env = []string{"HOME=" + b.dir, "PATH=" + os.Getenv("PATH")}
	return cmd, nil
}
