package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// axe-core as npm has it. It is not part of this tree.
const (
	axeVersion = "4.14.1"
	axeSum     = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
)

// axe is the text of axe-core.
var axe = sync.OnceValues(func() (string, error) {
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	name := "axe-core-" + axeVersion + ".tgz"
	if _, err := os.Stat(filepath.Join(cache, name)); err != nil {
		if err := pack(cache, name); err != nil {
			return "", err
		}
	}
	packed, err := os.ReadFile(filepath.Join(cache, name))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != axeSum {
		return "", fmt.Errorf("%s has the SHA-256 %x, want %s: remove it", filepath.Join(cache, name), sum, axeSum)
	}
	return member(packed, "package/axe.min.js")
})

// Cache is the folder of what tests get from npm, which stays from one to the next.
func Cache() (string, error) {
	top, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(top, "pdpp-host-tests")
	return dir, os.MkdirAll(dir, 0o700)
}

// pack has npm put a package into the cache. Others may do the same at the same time.
func pack(cache, name string) error {
	dir, err := os.MkdirTemp(cache, "npm-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what matters was moved
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent", strings.Replace(strings.TrimSuffix(name, ".tgz"), "core-", "core@", 1)) //nolint:gosec // a constant
	npm.Dir = dir
	if said, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w\n%s", err, said)
	}
	return os.Rename(filepath.Join(dir, name), filepath.Join(cache, name))
}

func member(packed []byte, name string) (string, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("there is no %s in the package", name)
		}
		if err != nil {
			return "", err
		}
		if h.Name == name {
			text, err := io.ReadAll(files)
			return string(text), err
		}
	}
}

// HasAxe reports whether npm gives axe-core.
func HasAxe() bool {
	_, err := axe()
	return err == nil
}

// NeedAxe leaves a test out, and says so, where npm does not give axe-core.
func NeedAxe(t testing.TB) {
	t.Helper()
	if _, err := axe(); err != nil {
		if os.Getenv(Required) == "required" {
			t.Fatalf("%s=required, and there is no axe-core: %v", Required, err)
		}
		t.Skipf("NOT CHECKED WITH AXE-CORE: %v", err)
	}
}

// finding is what axe-core has against a page.
type finding struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string `json:"html"`
		FailureSummary string `json:"failureSummary"` //nolint:tagliatelle // axe-core's own name
	}
}

// Axe returns what axe-core finds on the page, best practices included. Its text comes by the
// browser's tools, which no policy of a page stops.
func (p *Page) Axe() []string {
	p.t.Helper()
	text, err := axe()
	p.must(err)
	if !p.Eval("typeof axe === 'object'").Bool() {
		p.Eval(text + "; 0")
	}
	var found []finding
	p.must(p.Eval(`axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations)`).Unmarshal(&found))
	var list []string
	for _, f := range found {
		for _, n := range f.Nodes {
			list = append(list, fmt.Sprintf("%s (%s): %s\n%s\n%s", f.ID, f.Impact, f.Help, n.HTML, n.FailureSummary))
		}
	}
	return list
}
