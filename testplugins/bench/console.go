package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// console measures one figure of a host that serves with its console open.
func console(name string, figure func() error) func() error {
	return func() error {
		title("A console that is open: "+name, "make bench BENCH='-only "+name+"'")
		row("", "median", "min", "max")
		row("---", "---", "---", "---")
		return figure()
	}
}

func figureRow[T int64 | float64 | time.Duration](name string, list []T) {
	lo, hi := spread(list)
	row(name, median(list), lo, hi)
}

// seven are the connectors of the project.
var seven = []string{"claude_code", "codex", "calendar_files", "github", "notion", "spotify", "ynab"}

// newFolder makes an empty data folder, with a plugins folder of its own that has those modules.
func (b *bench) newFolder(name string, modules []string, from string) (string, error) {
	data := filepath.Join(b.dir, name)
	plugins := filepath.Join(data, "plugins")
	if err := os.RemoveAll(data); err != nil {
		return "", err
	}
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		return "", err
	}
	for _, m := range modules {
		text, err := os.ReadFile(filepath.Join(from, m+".wasm"))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(plugins, m+".wasm"), text, 0o600); err != nil {
			return "", err
		}
	}
	return data, nil
}

// do does a command with the plugins of the data folder.
func (b *bench) do(data string, args ...string) error {
	cmd, err := b.command(data, append([]string{"--plugins", filepath.Join(data, "plugins")}, args...)...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w\n%s", args, err, out)
	}
	return nil
}

// connected makes a connection that runs by hand alone, whose module its owner has accepted.
func (b *bench) connected(data, name, connector string, options ...string) error {
	args := []string{"connections", "add", name, connector, "--accept"}
	for _, o := range options {
		args = append(args, "--set", o)
	}
	if err := b.do(data, args...); err != nil {
		return err
	}
	return b.do(data, "connections", "schedule", name, "--manual")
}

// ready measures the time from the start of `serve` to the first 200 of /readyz.
func (b *bench) ready() error {
	data, err := b.newFolder("ready", seven, "plugins")
	if err != nil {
		return err
	}
	for _, name := range seven {
		if err := b.connected(data, name, name); err != nil {
			return err
		}
	}
	var took []time.Duration
	for i := range 2*b.runs + 1 {
		at, err := freeAddress()
		if err != nil {
			return err
		}
		cmd, err := b.command(data, "--plugins", filepath.Join(data, "plugins"), "serve", "--listen", at)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := cmd.Start(); err != nil {
			return err
		}
		for {
			res, err := http.Get("http://" + at + "/readyz") //nolint:noctx // of this machine
			if err == nil {
				_ = res.Body.Close()
				if res.StatusCode == http.StatusOK {
					break
				}
			}
			if time.Since(began) > 30*time.Second {
				return fmt.Errorf("not ready within 30 s: %w", err)
			}
			time.Sleep(500 * time.Microsecond)
		}
		if i > 0 {
			took = append(took, time.Since(began))
		}
		(&served{cmd: cmd}).stop()
	}
	figureRow("start to `/readyz`, 7 connectors, warm", took)
	return nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of this machine
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// open is a host with a signed-in owner.
type open struct {
	*served

	cookie string
	token  string
}

var (
	setUpCode = regexp.MustCompile(`/set-up\?code=(\S+)`)
	runID     = regexp.MustCompile(`"run_id":"([^"]+)"`)
	asset     = regexp.MustCompile(`/assets/[^"]+`)
	secretOf  = regexp.MustCompile(`pdpp_ot_\S+`)
)

// ownPassword is the owner's.
const ownPassword = "four plain words here"

// opened serves data, and signs its owner in.
func (b *bench) opened(data string) (*open, error) {
	cmd, err := b.command(data, "--plugins", filepath.Join(data, "plugins"), "serve", "--listen", "127.0.0.1:0", "--log-level", "info")
	if err != nil {
		return nil, err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o := &open{served: &served{cmd: cmd}}
	lines := bufio.NewReader(said)
	code := ""
	for code == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("the host gives no link: %w", err)
		}
		if o.address == "" {
			o.address = listensOn.FindString(line)
		}
		if found := setUpCode.FindStringSubmatch(line); found != nil {
			code = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	form := url.Values{"code": {code}, "password": {ownPassword}, "again": {ownPassword}}
	res, err := o.send(http.MethodPost, "/set-up", strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded", "Origin", "http://"+o.address)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	for _, c := range res.Cookies() {
		o.cookie = c.Name + "=" + c.Value
	}
	if o.cookie == "" {
		return nil, fmt.Errorf("the owner is not signed in: %s", res.Status)
	}
	o.token, err = b.newToken(data, "run")
	return o, err
}

// newToken makes a token as the owner does.
func (b *bench) newToken(data, scope string) (string, error) {
	makes, err := b.command(data, "tokens", "create", "bench-"+scope, "--scope", scope)
	if err != nil {
		return "", err
	}
	out, err := makes.CombinedOutput()
	token := secretOf.FindString(string(out))
	if err != nil || token == "" {
		return "", fmt.Errorf("no token: %w\n%s", err, out)
	}
	return token, nil
}

// plainly follows no redirect.
var plainly = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send sends a request as the owner's browser does, once it is signed in.
func (o *open) send(method, path string, body io.Reader, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(context.Background(), method, "http://"+o.address+path, body)
	if err != nil {
		return nil, err
	}
	if o.cookie != "" {
		r.Header.Set("Cookie", o.cookie)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return plainly.Do(r)
}

// page reads a page of the console.
func (o *open) page(path string) (string, error) {
	res, err := o.send(http.MethodGet, path, http.NoBody)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, res.Status)
	}
	return string(text), err
}

// browse opens the overview with what it loads, and follows its events: told gets the names.
func (o *open) browse(told func(event string)) (stop func(), err error) {
	text, err := o.page("/")
	if err != nil {
		return nil, err
	}
	loads := asset.FindAllString(text, -1)
	if len(loads) == 0 {
		return nil, errors.New("the overview loads no style and no script")
	}
	for _, path := range loads {
		if _, err := o.page(path); err != nil {
			return nil, err
		}
	}
	res, err := o.send(http.MethodGet, "/events", http.NoBody) //nolint:bodyclose // stop closes it
	if err != nil {
		return nil, err
	}
	go func() {
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				told(event)
			}
		}
	}()
	return func() { _ = res.Body.Close() }, nil
}

// run begins a run of a connection, and returns its id.
func (o *open) run(connection string) (string, error) {
	res, err := o.send(http.MethodPost, "/v1/owner/connections/"+connection+"/run", strings.NewReader("{}"), "Content-Type", "application/json", "Authorization", "Bearer "+o.token)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	found := runID.FindSubmatch(text)
	if err != nil || found == nil {
		return "", fmt.Errorf("no run: %s %s %w", res.Status, text, err)
	}
	return string(found[1]), nil
}

// reading opens a store beside its host, to look at it alone.
func reading(data string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+filepath.Join(data, "pdpp.sqlite")+"?_pragma=query_only(1)&_pragma=busy_timeout(5000)")
}

// pss is the memory of a process with its share of what it has in common with others.
func pss(cmd *exec.Cmd) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", cmd.Process.Pid))
	found := regexp.MustCompile(`(?m)^Pss:\s+(\d+)`).FindSubmatch(text)
	if err != nil || found == nil {
		return 0
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
