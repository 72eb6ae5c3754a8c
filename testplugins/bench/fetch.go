package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	bodyBytes   = 4 << 10
	fewFetches  = 500 // so that starting a process is subtracted
	fetchWindow = 16
	farAway     = 20 * time.Millisecond
)

// fetch compares a request through the guest, the worker, the host call and the
// governor with the same request of a plain Go client, in CPU time, and measures the
// gain of several requests in flight.
func (b *bench) fetch() error {
	body := strings.Repeat("x", bodyBytes)
	near := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	defer near.Close()
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(farAway)
		_, _ = io.WriteString(w, body)
	}))
	defer far.Close()

	title(fmt.Sprintf("A request: CPU of %d with bodies of 4 KiB on loopback, pacing off, beside a plain client", b.fetches), "make bench BENCH='-only fetch'")
	sides := []struct {
		name string
		cpu  func(n int) (time.Duration, error)
	}{
		{"plain client (A)", func(n int) (time.Duration, error) { return b.plainCPU(near.URL, n) }},
		{"host, one in flight", func(n int) (time.Duration, error) { return b.hostCPU(near.URL, n, 1) }},
		{"host, 16 in flight", func(n int) (time.Duration, error) { return b.hostCPU(near.URL, n, fetchWindow) }},
		{"plain client (A again)", func(n int) (time.Duration, error) { return b.plainCPU(near.URL, n) }},
	}
	each := make([][]time.Duration, len(sides))
	for i := range b.runs + 1 {
		for s := range sides {
			few, err := sides[s].cpu(fewFetches)
			if err != nil {
				return err
			}
			many, err := sides[s].cpu(fewFetches + b.fetches)
			if err != nil {
				return err
			}
			if i > 0 {
				each[s] = append(each[s], (many-few)/time.Duration(b.fetches))
			}
		}
	}
	row("CPU a request", "median", "min", "max", "over the plain client")
	row("---", "---", "---", "---", "---")
	for s := range sides {
		var over []time.Duration
		for i := range each[s] {
			over = append(over, each[s][i]-each[0][i])
		}
		lo, hi := spread(each[s])
		row(sides[s].name, micros(median(each[s])), micros(lo), micros(hi), micros(median(over)))
	}

	const n = 400
	var gain []float64
	for range b.runs {
		one, err := b.hostWall(far.URL, n, 1)
		if err != nil {
			return err
		}
		many, err := b.hostWall(far.URL, n, fetchWindow)
		if err != nil {
			return err
		}
		none, err := b.hostWall(far.URL, 0, 1)
		if err != nil {
			return err
		}
		gain = append(gain, float64(one-none)/float64(many-none))
	}
	lo, hi := spread(gain)
	fmt.Printf("\n%d in flight against one, %d requests that take %s: %.1f times as fast (%.1f to %.1f)\n", fetchWindow, n, farAway, median(gain), lo, hi)
	return nil
}

func micros(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Nanoseconds())/1000, 'f', 1, 64) + " us"
}

func (b *bench) fetchCommand(url string, n, window int) (*exec.Cmd, error) {
	dir := filepath.Join(b.dir, "fetch")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	cmd, err := b.command(dir, "run", "downloader", "--accept", "--set", "base_url="+url, "--set", "n="+strconv.Itoa(n),
		"--set", "window="+strconv.Itoa(window), "--no-input")
	if err == nil {
		cmd.Env = append(cmd.Env, "PDPP_NETWORK_ALLOW_PRIVATE="+strings.TrimPrefix(url, "http://"))
	}
	return cmd, err
}

// hostCPU is the processor time of a run, its worker's included.
func (b *bench) hostCPU(url string, n, window int) (time.Duration, error) {
	cmd, err := b.fetchCommand(url, n, window)
	if err != nil {
		return 0, err
	}
	return cpu(cmd)
}

func (b *bench) hostWall(url string, n, window int) (time.Duration, error) {
	cmd, err := b.fetchCommand(url, n, window)
	if err != nil {
		return 0, err
	}
	s, err := measure(cmd)
	return s.wall, err
}

// plainCPU is the processor time of this program as a plain client.
func (b *bench) plainCPU(url string, n int) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	return cpu(exec.Command(self, "-plain", url, "-fetches", strconv.Itoa(n)))
}

func cpu(cmd *exec.Cmd) (time.Duration, error) {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// plain asks n times, as a careful Go program does.
func plain(url string, n int) error {
	buffer := make([]byte, 0, bodyBytes)
	for range n {
		resp, err := http.Get(url + "/items") //nolint:noctx,gosec // only the plain client is measured
		if err != nil {
			return err
		}
		buffer, err = appendAll(buffer[:0], resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return err
		}
		if len(buffer) != bodyBytes {
			return fmt.Errorf("%d bytes", len(buffer))
		}
	}
	return nil
}

func appendAll(to []byte, from io.Reader) ([]byte, error) {
	for {
		to = slices.Grow(to, 512)
		n, err := from.Read(to[len(to):cap(to)])
		to = to[:len(to)+n]
		if errors.Is(err, io.EOF) {
			return to, nil
		}
		if err != nil {
			return to, err
		}
	}
}
