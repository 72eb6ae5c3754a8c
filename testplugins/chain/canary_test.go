package chain

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// canary has characters that every encoding writes in its own way.
const canary = `canary/5f1e+09b7"hunter2=`

// spellings lists the forms in which a text may contain the secret.
func spellings(secret string) [][]byte {
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
		strings.ReplaceAll(secret, `"`, `\"`), strings.ReplaceAll(secret, `"`, `\u0022`), strings.ReplaceAll(secret, `"`, `&#34;`),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for skip := range 3 { // each place at which it can begin
			text := encoding.EncodeToString([]byte(strings.Repeat("x", skip) + secret))
			all = append(all, text[4:len(text)-4])
		}
	}
	var out [][]byte
	for _, s := range all {
		out = append(out, []byte(s))
	}
	return out
}

// findSecret returns the spelling of a secret in a text, or "".
func findSecret(text []byte, secrets ...string) string {
	for _, secret := range secrets {
		for _, s := range spellings(secret) {
			if bytes.Contains(text, s) {
				return string(s)
			}
		}
	}
	return ""
}

func TestTheCanaryIsFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x" + canary, hex.EncodeToString([]byte("x" + canary)), base64.RawURLEncoding.EncodeToString([]byte("yz" + canary + "xx")),
		"a=" + url.QueryEscape(canary), fmt.Sprintf("%q", canary),
	} {
		if findSecret([]byte(text), canary) == "" {
			t.Errorf("it is not found in %s, want findSecret([]byte(text), canary) not \"\"", text)
		}
	}
	if findSecret([]byte("canary hunter2"), canary) != "" {
		t.Error("a text without the canary counts as containing it")
	}
}

// silent looks for secrets in everything that an owner has: the printed output, and
// every file of the home, the write-ahead log included. The reserve of disk holds 32 MB of nothing.
func (o *owner) silent(what string, s said, secrets ...string) {
	o.t.Helper()
	if found := findSecret(s.stdout, secrets...); found != "" {
		o.t.Errorf("%s: standard output holds %s:\n%s, want \"\"", what, found, s.stdout)
	}
	if found := findSecret(s.stderr, secrets...); found != "" {
		o.t.Errorf("%s: standard error holds %s:\n%s, want \"\"", what, found, s.stderr)
	}
	files := 0
	err := filepath.WalkDir(o.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == filepath.Join(o.data, "reserve") {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		if found := findSecret(text, secrets...); found != "" {
			o.t.Errorf("%s: %s holds %s, want \"\"", what, filepath.Base(path), found)
		}
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	if files < 1 {
		o.t.Errorf("%s: no file was searched", what)
	}
}

// shouting is a provider that repeats its secrets to everybody.
type shouting struct {
	next http.Handler
	how  atomic.Pointer[http.HandlerFunc] // nil: it does not
}

func (s *shouting) shouts(how http.HandlerFunc) { s.how.Store(&how) }

// ServeHTTP implements http.Handler.
func (s *shouting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if how := s.how.Load(); how != nil {
		(*how)(w, r)
		return
	}
	s.next.ServeHTTP(w, r)
}

// echoes are ways to give a secret back.
func echoes(next http.Handler) map[string]http.HandlerFunc {
	secret := func(r *http.Request) (whole, bare string) {
		whole = r.Header.Get("Authorization")
		return whole, strings.TrimPrefix(whole, "Bearer ")
	}
	// around puts text into every title and name of an honest answer.
	around := func(w http.ResponseWriter, r *http.Request, text string) {
		_, bare := secret(r)
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		body := rec.Body.String()
		for _, member := range []string{`"plain_text":"`, `"description":"`, `"memo":"`, `"name":"`} {
			body = strings.ReplaceAll(body, member, member+strings.ReplaceAll(fmt.Sprintf(text, bare), `"`, `\"`))
		}
		maps.Copy(w.Header(), rec.Header())
		w.Header().Set("X-Echo", bare)
		w.Header().Set("ETag", `"`+bare+`"`)
		w.WriteHeader(rec.Code)
		_, _ = w.Write([]byte(body))
	}
	return map[string]http.HandlerFunc{
		"error body": func(w http.ResponseWriter, r *http.Request) {
			whole, bare := secret(r)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"object":"error","code":%q,"message":%q,"error":{"name":%q,"detail":%q,"message":%q}}`, bare, whole, bare, whole, bare)
		},
		"unauthorized": func(w http.ResponseWriter, r *http.Request) {
			_, bare := secret(r)
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+url.QueryEscape(bare)+`"`)
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"message":%q}`, bare)
		},
		"location": func(w http.ResponseWriter, r *http.Request) {
			_, bare := secret(r)
			w.Header().Set("Location", "/elsewhere/"+url.PathEscape(bare)+"?token="+url.QueryEscape(bare)+"#"+bare)
			if strings.HasPrefix(r.URL.Path, "/elsewhere") {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"foreign location": func(w http.ResponseWriter, r *http.Request) {
			_, bare := secret(r)
			w.Header().Set("Location", "https://"+hex.EncodeToString([]byte("x"))+".example/?"+url.QueryEscape(bare))
			w.WriteHeader(http.StatusFound)
		},
		"no json": func(w http.ResponseWriter, r *http.Request) {
			whole, _ := secret(r)
			fmt.Fprintf(w, "<html>%s %s", whole, base64.StdEncoding.EncodeToString([]byte(strings.TrimPrefix(whole, "Bearer "))))
		},
		"records": func(w http.ResponseWriter, r *http.Request) { around(w, r, "t%s") },
		"records, base64": func(w http.ResponseWriter, r *http.Request) {
			_, bare := secret(r)
			around(w, r, base64.StdEncoding.EncodeToString([]byte(bare))+"%.0s")
		},
		"throttle": func(w http.ResponseWriter, r *http.Request) {
			whole, bare := secret(r)
			w.Header().Set("Retry-After", "1")
			w.Header().Set("X-Ratelimit-Remaining", bare)
			http.Error(w, whole, http.StatusTooManyRequests)
		},
		"unavailable": func(w http.ResponseWriter, r *http.Request) {
			whole, _ := secret(r)
			http.Error(w, whole, http.StatusServiceUnavailable)
		},
	}
}

// Invariant 5: whatever happens in a run, and whatever a provider does with the secret,
// no copy of it remains at the owner: not in the store, its log, a recording, the
// printed output, the debug log, or an export.
func TestSecretIsNowhere(t *testing.T) {
	t.Parallel()
	for _, name := range connectors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alike(t, name)
			s, err := sample.New(name, sample.Options{Seed: 1, Size: 3, Now: options(3).Now, Token: canary})
			if err != nil {
				t.Fatal(err)
			}
			p := &shouting{next: s.Handler}
			o := newOwner(t, p, nil)
			secrets := []string{canary}
			o.silent("adding", o.says(0, "connections", "add", name, name, "--accept"), secrets...)
			for variable, value := range s.Variables {
				field := "token"
				if slices.Contains(renewing, name) {
					field = strings.ToLower(strings.TrimPrefix(variable, strings.ToUpper(name)+"_"))
				}
				set := o.command("connections", "credential", "set", name, field)
				set.Stdin = strings.NewReader(value)
				if out, err := set.CombinedOutput(); err != nil || findSecret(out, secrets...) != "" {
					t.Fatalf("%v: %s, want findSecret(out, secrets...) = \"\"", err, out)
				}
			}
			n := 0
			run := func(what string, wants ...int) {
				t.Helper()
				n++
				record := filepath.Join(o.home, fmt.Sprintf("recording%d", n))
				cmd := o.command("run", name, "--no-input", "--accept", "--json", "--force", "--log-level", "debug", "--record", record, "--set", "base_url="+o.url)
				var out, problems bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &problems
				_ = cmd.Run() // the status is looked at
				status := cmd.ProcessState.ExitCode()
				ok := len(wants) == 0
				for _, want := range wants {
					ok = ok || status == want
				}
				if !ok {
					t.Errorf("%s: exits with %d, want one of %d\n%s%s", what, status, wants, &out, &problems)
				}
				if _, err := os.Stat(record); err != nil {
					t.Errorf("%s: there is no recording: %v", what, err)
				}
				o.silent(what, said{status, out.Bytes(), problems.Bytes()}, secrets...)
			}
			run("first", 0)
			for what, how := range echoes(s.Handler) {
				p.shouts(how)
				if slices.Contains(renewing, name) && what == "unauthorized" {
					continue // it renews; see TestRenewal
				}
				run("echo: "+what, 0, 4, 6)
			}
			p.how.Store(nil)
			for what, f := range map[string]fault.Fault{
				"401": fault.Status(401, "{}"), "429": fault.Throttle("7200"), "500": fault.Status(500, "{}"), "reset": fault.Reset(), "truncated": fault.Truncated(),
			} {
				s.Faults.Clear()
				s.Faults.Add(always(f))
				want := 4
				if what == "401" {
					want = 6 // the owner is needed
				}
				run("fault: "+what, want)
			}
			s.Faults.Clear()
			run("last", 0)
			for _, args := range [][]string{
				{"runs", "list"}, {"runs", "show", "last"}, {"connections", "show", name}, {"connections", "list"}, {"status"}, {"status", name, "--detail"},
				{"doctor"}, {"config", "show"}, {"connections", "credential", "list", name}, {"plugins", "inspect", name},
			} {
				for _, more := range [][]string{{"--json"}, {"--log-level", "debug"}} {
					var out, problems bytes.Buffer
					cmd := o.command(append(args, more...)...)
					cmd.Stdout, cmd.Stderr = &out, &problems
					_ = cmd.Run() // a doctor that finds something exits with 1
					if out.Len() == 0 {
						t.Errorf("%v prints nothing: %s, want out.Len() not 0", args, &problems)
					}
					o.silent(strings.Join(args, " "), said{0, out.Bytes(), problems.Bytes()}, secrets...)
				}
			}
			for _, id := range o.sql("SELECT run_id FROM runs") {
				o.silent("runs show", o.says(0, "runs", "show", id, "--json"), secrets...)
			}
			for _, stream := range o.sql("SELECT name FROM streams") {
				o.silent("export "+stream, o.says(0, "records", "export", name, stream, "--deleted"), secrets...)
			}
		})
	}
}

// The guest itself as the hook: it emits every byte of every answer, and looks for the
// secret in its whole memory, in both isolation modes. It finds another text that it
// was given, which shows that it looks.
func TestGuestNeverHoldsTheSecret(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"process", "inline"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			honest := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"name":"x"}`) })
			ways := echoes(honest)
			var paths []string
			mux := http.NewServeMux()
			for what, how := range ways {
				path := "/" + strings.ReplaceAll(strings.ReplaceAll(what, " ", "-"), ",", "")
				mux.Handle(path, how)
				paths = append(paths, path)
			}
			// After a refusal the host sends nothing for a second: that one is last.
			slices.SortFunc(paths, func(a, b string) int {
				return len(strings.TrimPrefix(b, "/throttle")) - len(strings.TrimPrefix(a, "/throttle"))
			})
			seen := atomic.Int64{}
			o := newOwner(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "Bearer "+canary {
					seen.Add(1)
				}
				mux.ServeHTTP(w, r)
			}), map[string]string{"ECHO_TOKEN": canary, "PDPP_ISOLATION": isolation})
			inverted := []byte(canary)
			for i := range inverted {
				inverted[i] ^= 0xff
			}
			s := o.says(0, "run", "echo", "--no-input", "--accept", "--json", "--set", "base_url="+o.url, "--set", "paths="+strings.Join(paths, ","),
				"--set", "inverted="+hex.EncodeToString(inverted), "--set", "control=something-to-find")
			o.silent("run", s, canary)
			exported := o.says(0, "records", "export", "echo", "answers")
			o.silent("export", exported, canary)
			rows := o.export("echo", "answers")
			if len(rows) != len(paths)+1 || seen.Load() < int64(len(paths)) {
				t.Fatalf("%d answers of %d, the secret was sent %d times, want len(rows) = %v and seen.Load() at least %d", len(rows)-1, len(paths), seen.Load(), len(paths)+1, int64(len(paths)))
			}
			for key, row := range rows {
				raw, err := hex.DecodeString(fmt.Sprint(row.Data["bytes"]))
				if key != "memory" && (err != nil || len(raw) == 0 || findSecret(raw, canary) != "") {
					t.Errorf("%s: %v %s, want an answer without the canary", key, err, raw)
				}
			}
			if memory := rows["memory"].Data; memory["secrets"] != 0.0 || memory["controls"] == 0.0 || memory["controls"] == nil {
				t.Errorf("%v, want memory[\"secrets\"] = 0.0, memory[\"controls\"] not 0.0 and memory[\"controls\"] not nil", memory)
			}
		})
	}
}
