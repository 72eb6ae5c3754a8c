package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
	"github.com/pdpp-host/pdpp-host/storage"
)

// servingProcess is a `pdpp-host serve` that runs beside the test.
type servingProcess struct {
	cmd  *exec.Cmd
	at   string // the address of its log
	out  *bytes.Buffer
	rest chan string // what it logs after that
}

var listeningLine = regexp.MustCompile(`msg=listening address=(\S+) tls=false`)

func serveIn(t *testing.T, home string, args ...string) *servingProcess {
	t.Helper()
	p := &servingProcess{out: new(bytes.Buffer), rest: make(chan string, 1)}
	p.cmd = exec.Command("pdpp-host", append([]string{"serve"}, args...)...)
	p.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	p.cmd.Stdout = p.out
	log, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	lines := bufio.NewReader(log)
	var said strings.Builder
	for p.at == "" {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if found := listeningLine.FindStringSubmatch(line); found != nil {
			p.at = found[1]
		}
		if err != nil {
			t.Fatalf("it listens nowhere: %s %v", said.String(), p.cmd.Wait())
		}
	}
	go func() {
		text, _ := io.ReadAll(lines)
		p.rest <- string(text)
	}()
	return p
}

// end stops it as its owner does, and returns its exit status and its log.
func (p *servingProcess) end(t *testing.T) (int, string) {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	log := <-p.rest
	err := p.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), log
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, log
}

func (p *servingProcess) post(t *testing.T, path, token string, body, into any) int {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+p.at+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// A host that listens takes a device in beside its scheduler, says where it
// listens and nothing of the device's secrets, and ends when its owner stops it.
func TestServeListens(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := serveIn(t, home, "--listen", "127.0.0.1:0")
	path := filepath.Join(home, ".local", "share", "pdpp", "pdpp.sqlite")
	store, err := storage.Open(context.Background(), storage.Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	code := "lde" + strings.Repeat("0123456789abcdef", 4)
	err = errors.Join(store.NewEnrollmentCode(context.Background(), storage.EnrollmentCode{
		CodeHash: device.SecretHash(code), ConnectorID: "notes", Binding: "laptop", ExpiresAt: time.Now().Add(time.Hour),
	}), store.Close())
	if err != nil {
		t.Fatal(err)
	}
	var e device.Enrollment
	if got := p.post(t, device.PathEnroll, "", device.EnrollRequest{Code: code}, &e); got != http.StatusCreated {
		t.Fatalf("%d %+v", got, e)
	}
	var beat device.HeartbeatAnswer
	h := device.Heartbeat{ConnectorID: "notes", SourceInstanceID: e.SourceInstanceID, Status: device.StatusHealthy}
	if got := p.post(t, device.PathHeartbeat(e.DeviceID), e.DeviceToken, h, &beat); got != http.StatusOK || beat.Status != "accepted" {
		t.Errorf("%d %+v", got, beat)
	}

	// A supervisor asks without a credential.
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "store ok\nscheduler ok\ndisk ok\n"} {
		r, err := http.Get("http://" + p.at + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil || r.StatusCode != http.StatusOK || string(body) != want {
			t.Errorf("%s: got %d %q, %v, want 200 %q", path, r.StatusCode, body, err, want)
		}
	}

	// OC-11, OC-03.1: figures are the owner's, and nobody has claimed this host.
	if r, err := http.Get("http://" + p.at + "/metrics"); err != nil || r.Body.Close() != nil || r.StatusCode != http.StatusUnauthorized {
		t.Errorf("/metrics: got %v, %v, want 401", r, err)
	}

	// Its port is taken, and it is the only one that serves.
	taken := exec.Command("pdpp-host", "serve", "--listen", p.at)
	taken.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	if said, err := taken.CombinedOutput(); err == nil || !strings.Contains(string(said), string(listen.CodeAddressInUse)) {
		t.Errorf("%s %v", said, err)
	}

	status, log := p.end(t)
	if status != 0 || !strings.Contains(p.out.String(), "served for") {
		t.Errorf("it ends with %d: %s %s", status, p.out, log)
	}
	if !strings.Contains(log, "a device was enrolled") || strings.Contains(log, code) || strings.Contains(log, e.DeviceToken) {
		t.Errorf("the log is %s", log)
	}
}

// The configuration names the address too, and a pass that ends does not open it.
func TestServeListensAsConfigured(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "pdpp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pdpp.yaml"), []byte("serve: {listen: \"127.0.0.1:0\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	once := exec.Command("pdpp-host", "serve", "--once")
	once.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if said, err := once.CombinedOutput(); err != nil || strings.Contains(string(said), "listening") {
		t.Errorf("%s %v", said, err)
	}
	p := serveIn(t, home)
	if status, log := p.end(t); status != 0 {
		t.Errorf("it ends with %d: %s", status, log)
	}
}
