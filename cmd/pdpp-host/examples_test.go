package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/config"
)

// The examples of how the host is run name commands, flags, settings, addresses and folders
// that there are.
func TestServeExamples(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "examples", "serve")
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	unit, container, caddy, nginx := read("pdpp-host.service"), read("Containerfile"), read("Caddyfile"), read("nginx.conf")

	var typed [][]string
	for _, m := range regexp.MustCompile(`(?m)^ExecStart=%h/\.local/bin/pdpp-host (.*)$`).FindAllStringSubmatch(unit, -1) {
		typed = append(typed, strings.Fields(m[1]))
	}
	for _, m := range regexp.MustCompile(`(?m)^CMD \[(.*)\]$`).FindAllStringSubmatch(container, -1) {
		typed = append(typed, strings.Fields(strings.NewReplacer(`"`, "", ",", "").Replace(m[1])))
	}
	for _, m := range regexp.MustCompile("`pdpp-host ([^`]*)`").FindAllStringSubmatch(unit+container+caddy, -1) {
		typed = append(typed, strings.Fields(m[1]))
	}
	if len(typed) < 4 {
		t.Errorf("got %d commands, want 4 at least: the search is broken", len(typed))
	}
	for _, args := range typed {
		cmd, rest, err := newApp().root().Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || cmd.RunE == nil || cmd.Flags().NArg() > 0 {
			t.Errorf("%q: got %v, want a command of this program", args, err)
		}
	}

	var variables []string
	for _, key := range config.Keys() {
		variables = append(variables, "PDPP_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_")))
	}
	for _, name := range regexp.MustCompile(`PDPP_[A-Z_]+`).FindAllString(unit+container+caddy+nginx, -1) {
		if !slices.Contains(variables, name) {
			t.Errorf("%s: got no setting of that name, want one", name)
		}
	}
	_, port, _ := strings.Cut(config.DefaultListen, ":")
	for _, want := range []string{"reverse_proxy " + config.DefaultListen, "lb_try_duration "} {
		if !strings.Contains(caddy, want) || strings.Contains(caddy, "health_uri") { // which refuses for 30 s what comes behind a restart
			t.Errorf("the Caddyfile has no %q, or a health check", want)
		}
	}
	for _, want := range []string{"proxy_pass http://" + config.DefaultListen + ";", "client_max_body_size 0;", "proxy_set_header Host $http_host;", "proxy_buffering off;"} {
		if !strings.Contains(nginx, want) {
			t.Errorf("nginx.conf has no %q", want)
		}
	}
	for _, want := range []string{"EXPOSE " + port, "go build -trimpath -ldflags='-s -w' -o /pdpp-host ./cmd/pdpp-host", "USER 65532:65532"} {
		if !strings.Contains(container, want) {
			t.Errorf("the Containerfile has no %q", want)
		}
	}
	goMod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(goMod))
	if version == nil || !strings.Contains(container, "golang:"+version[1]+" ") {
		t.Errorf("the Containerfile builds with another Go than go.mod's %v", version)
	}
	if !strings.Contains(unit, "ReadWritePaths=%h/.local/share/pdpp\n") {
		t.Error("the unit lets the host write elsewhere than its data folder's default")
	}
}
