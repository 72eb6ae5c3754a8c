package bed

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Password is the one that Claim chooses.
const Password = "a garden of copper lanterns"

// Serving is a host that serves.
type Serving struct {
	cmd   *exec.Cmd
	ended chan struct{}
	out   *output
}

// output collects what a host writes, and finds its address and its link in it.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	found chan string // what the console was said to be at
}

// at is a line that says where the console is.
var at = regexp.MustCompile(`(?m)^ *(?:the console is at )?(http://127\.0\.0\.1:\d+/\S*)$`)

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if m := at.FindSubmatch(o.text.Bytes()); m != nil && bytes.HasSuffix(o.text.Bytes(), []byte("\n")) {
		select {
		case o.found <- string(m[1]):
		default:
		}
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Serve serves, on the address that the owner's host had if it had one, and returns where the
// console is: the link to choose a password, or the overview.
func (o *Owner) Serve(args ...string) string {
	o.t.Helper()
	on := o.address
	if on == "" {
		on = "127.0.0.1:0"
	}
	s := &Serving{out: &output{found: make(chan string, 1)}, ended: make(chan struct{})}
	s.cmd = o.Command(append([]string{"serve", "--listen", on}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.WaitDelay = s.out, s.out, 10*time.Second
	o.must(s.cmd.Start())
	go func() {
		_ = s.cmd.Wait() // the status is in it
		close(s.ended)
	}()
	if o.serving == nil {
		o.t.Cleanup(o.Kill)
	}
	o.serving = s
	select {
	case link := <-s.out.found:
		u, err := url.Parse(link)
		o.must(err)
		o.address = u.Host
		return link
	case <-s.ended:
		o.t.Fatalf("the host does not serve:\n%s", s.out)
	case <-time.After(time.Minute):
		o.t.Fatalf("the host does not say where its console is:\n%s", s.out)
	}
	return ""
}

// Origin is what the addresses of the host that serves begin with.
func (o *Owner) Origin() string { return "http://" + o.address }

// Log is what the host has written so far.
func (o *Owner) Log() string { return o.serving.out.String() }

// Claim serves, chooses Password, and returns the cookie of the owner's session.
func (o *Owner) Claim(args ...string) *http.Cookie {
	o.t.Helper()
	link := o.Serve(args...)
	u, err := url.Parse(link)
	o.must(err)
	return o.enter("/set-up", url.Values{"code": {u.Query().Get("code")}, "password": {Password}, "again": {Password}})
}

// SignIn returns the cookie of another session.
func (o *Owner) SignIn() *http.Cookie {
	o.t.Helper()
	return o.enter("/sign-in", url.Values{"password": {Password}})
}

func (o *Owner) enter(path string, form url.Values) *http.Cookie {
	o.t.Helper()
	got := o.Sends(http.MethodPost, path, form, map[string]string{"Origin": o.Origin()})
	for _, c := range got.Cookies {
		if c.Value != "" {
			return c
		}
	}
	o.t.Fatalf("%s answers %d without a session", path, got.Status)
	return nil
}

// Answer is what the host answers.
type Answer struct {
	Status  int
	Header  http.Header
	Cookies []*http.Cookie
	Body    string
}

// Sends makes one request and returns the answer, without following it.
func (o *Owner) Sends(method, path string, form url.Values, header map[string]string) Answer {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), method, o.Origin()+path, strings.NewReader(form.Encode()))
	o.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range header {
		if req.Header.Set(name, value); name == "Host" {
			req.Host = value
		}
	}
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(req)
	o.must(err)
	body, err := io.ReadAll(res.Body)
	o.must(err)
	o.must(res.Body.Close())
	return Answer{res.StatusCode, res.Header, res.Cookies(), string(body)}
}

// Kill ends the host as a power cut does.
func (o *Owner) Kill() {
	if o.serving != nil {
		_ = o.serving.cmd.Process.Kill() // it may have ended
		<-o.serving.ended
	}
}

// Stop ends the host as its owner does.
func (o *Owner) Stop() {
	o.t.Helper()
	o.must(o.serving.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-o.serving.ended:
	case <-time.After(time.Minute):
		o.t.Fatalf("the host does not stop:\n%s", o.serving.out)
	}
}

// Freeze stops the host without ending it, and Thaw lets it go on.
func (o *Owner) Freeze() { o.t.Helper(); o.must(o.serving.cmd.Process.Signal(syscall.SIGSTOP)) }

// Thaw lets a frozen host go on.
func (o *Owner) Thaw() { o.t.Helper(); o.must(o.serving.cmd.Process.Signal(syscall.SIGCONT)) }

// Exited reports whether the host has ended by itself.
func (o *Owner) Exited() bool {
	select {
	case <-o.serving.ended:
		return true
	default:
		return false
	}
}
