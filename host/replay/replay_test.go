package replay

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// A guest that reads clocks, randomness, map order, timeouts and answers out of
// order is recorded the same in both modes, byte for byte, and plays the same in
// both.
func TestBothModesRecordTheSame(t *testing.T) {
	t.Parallel()
	var first string
	for _, isolation := range rig.Modes {
		path := recorded(t, isolation, fickle, &host{options: `"requests":"6","ask":""`, code: "1234"})
		if first == "" {
			first = read(t, path)
		} else if now := read(t, path); now != first {
			t.Errorf("the modes differ:\n%s\n%s", first, now)
		}
		for _, other := range rig.Modes {
			plays(t, other, fickle, path)
		}
	}
	lines := strings.Split(first, "\n")
	for i, want := range []string{
		`{"pdpp_recording":1,"abi":1,"connector":"fickle","version":"0.1.0","module_sha256":"` + rig.Guest(t, fickle).SHA256 + `","manifest_sha256":"`,
		`{"event":"submit","request":1,"op":"start","text":""}`,
		`{"event":"answer","request":1,"text":"{\"type\":\"START\",`,
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %s, want strings.HasPrefix(lines[i], want)", i+1, lines[i])
		}
	}
	for _, want := range []string{
		`"clock_start":"2026-03-04T05:06:07Z","seed":"07000000`, `"mode":"incremental","bindings":["filesystem","interactive","network"]}`,
		`{"event":"answer","request":6,"base64":"`, `{"event":"log","level":4,"text":"on standard error"}`,
		`{"event":"done","text":"{\"type\":\"DONE\"`, "\n" + `{"event":"end","returned":true}` + "\n",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("there is no %s, want strings.Contains(first, want)", want)
		}
	}
	if strings.Index(first, `"answer","request":6`) > strings.Index(first, `"answer","request":4`) {
		t.Error("the answers are not in the order in which they came")
	}
}

// Answers that come at any time, from elsewhere, are played in their order.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	rounds := 3
	if testing.Short() {
		rounds = 1 // of thirty answers each
	}
	for _, isolation := range rig.Modes {
		for range rounds {
			path := recorded(t, isolation, fickle, &host{options: `"requests":"30"`, late: true})
			for _, other := range rig.Modes {
				plays(t, other, fickle, path)
			}
		}
	}
}

// In a replay the guest gets the recorded answers.
func TestScripts(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"nothing":        "",
		"records":        `records notes 0 3000\nstate {\"type\":\"STATE\",\"stream\":\"notes\",\"cursor\":{\"n\":3000}}\nfinish`,
		"in flight":      `pending 6 x\npending 4 y\nwait -1\nresult 2\nwait 0\nresult 3\nwait 1000\nfinish`,
		"wrong bytes":    `bytes emit fffe00\nbytes skip ff\nfinish`,
		"log and output": `log 3 hello\nstdout 2 out\nstderr 2 err\nskip {\"type\":\"SKIP_RESULT\"}\nprogress {}\ngap {}\ncoverage {}\nfinish`,
		"failed":         `done {\"type\":\"DONE\",\"status\":\"failed\"}\nreturn 3`,
		"trap":           `emit x\ntrap`,
		"exit":           `emit x\nexit 7`,
		"no binding":     `submit 5 page\nerror boundary.binding_not_granted\nfinish`,
		"a call too big": `big emit 5000000`,
		"hunger":         `hunger`,
		"long sleep":     `sleep 0\nfinish`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, isolation := range rig.Modes {
				path := recorded(t, isolation, scripted, &host{options: `"script":"` + script + `"`})
				plays(t, rig.Modes[1-i], scripted, path)
			}
		})
	}
}

// A refusal and a violation of the host come again, with the words that the
// guest could read.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, isolation := range rig.Modes {
		script := `submit 6 x\nexpect not now, 1234: ask later\nfinish`
		plays(t, isolation, scripted, recorded(t, isolation, scripted, &host{options: `"script":"` + script + `"`, refuse: abi.OpNow, code: "1234"}))

		h := &host{options: `"script":"emit one\nstate two\nemit three\nfinish"`, violate: "state"}
		path, exit, err := record(t, isolation, scripted, h, options())
		if err != nil || abi.CodeOf(exit.Err) != abi.CodeKeyInvalid {
			t.Fatalf("got %+v, %+v, want no error && abi.CodeOf(exit.Err) == abi.CodeKeyInvalid", err, exit)
		}
		if text := read(t, path); !strings.HasSuffix(text, `{"event":"end","error":{"code":"boundary.key_invalid"}}`+"\n") {
			t.Errorf("read(t, path): got %+v, want strings.HasSuffix(text, `{\"event\":\"end\",\"error\":{\"code\":\"boundary.key_invalid\"}}`+\"\\n\")", text)
		}
		plays(t, isolation, scripted, path)
		tape, err := Open(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, Update(t.Context(), tape, load(t, isolation, scripted)), CodeDiffers)
		_ = tape.Close()
	}
}

// The time of a stop is arbitrary: the file has no end, and Open reports that.
func TestStoppedRunIsNoRecording(t *testing.T) {
	t.Parallel()
	for _, isolation := range rig.Modes {
		r, path := newRecorderAt(t, options())
		ctx, cancel := context.WithCancel(t.Context())
		stopping := &stopAt{host: &host{options: `"script":"emit x\npoll"`}, stop: cancel}
		exit := r.Collect(ctx, load(t, isolation, scripted), granted(), stopping)
		if exit.Stopped == nil {
			t.Fatalf("got %+v, want exit.Stopped != nil", exit)
		}
		wantCode(t, r.Close(), CodeIncomplete)
		_, err := Open(path, 0)
		wantCode(t, err, CodeIncomplete)
		if !strings.Contains(read(t, path), `{"event":"emit","text":"x"}`) {
			t.Error("what came before the stop is not there")
		}
	}
}

type stopAt struct {
	*host
	stop func()
}

func (s *stopAt) Emit([]byte) error { s.stop(); return nil }

// A file that is granted is outside of what a recording holds.
func TestFilesAreRefused(t *testing.T) {
	t.Parallel()
	r, path := newRecorderAt(t, options())
	g := granted()
	g.Roots = []plugin.Mount{{Name: "home", Path: t.TempDir()}}
	wantCode(t, r.Collect(t.Context(), load(t, plugin.IsolationInline, scripted), g, &host{}).Err, CodeFiles)
	wantCode(t, r.Close(), CodeIncomplete)
	if _, err := os.Lstat(path); err == nil {
		t.Error("an empty recording stays")
	}
}

func TestFileIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	path := recorded(t, plugin.IsolationInline, scripted, &host{})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("os.Stat(path): got %+v, %+v, want no error && info.Mode().Perm() == 0o600", info.Mode(), err)
	}
	before := read(t, path)
	_, err := Create(path, options())
	wantCode(t, err, CodeExists)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	_, err = Create(link, options())
	wantCode(t, err, CodeExists)
	_, err = Create(filepath.Join(t.TempDir(), "none", "run.jsonl"), options())
	wantCode(t, err, abi.CodeExportFailed)
	if read(t, path) != before {
		t.Error("it was written over")
	}
}

// A run is not failed for a recording that has no room; the recording is.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for _, isolation := range rig.Modes {
		o := options()
		o.MaxBytes = 20_000
		h := &host{options: `"script":"records notes 0 1000\nfinish"`}
		path, exit, err := record(t, isolation, scripted, h, o)
		wantCode(t, err, CodeTooLarge)
		if exit.Err != nil || !strings.HasPrefix(h.said[len(h.said)-1], "done ") {
			t.Errorf(`got %+v, want exit.Err == nil && strings.HasPrefix(h.said[len(h.said)-1], "done ")`, exit)
		}
		if len(read(t, path)) > 20_000 {
			t.Error("it is larger than it may be")
		}
		_, err = Open(path, 0)
		wantCode(t, err, CodeIncomplete)
	}
}

// A connector of the SDK fetches with several requests in flight, and gets the
// answers again in the order in which they came.
func TestNetworkConnector(t *testing.T) {
	t.Parallel()
	const downloader = "testplugins/guests/downloader"
	for i, isolation := range rig.Modes {
		path := recorded(t, isolation, downloader, &host{options: `"n":"30","window":"6"`, body: "%d", late: true})
		plays(t, rig.Modes[1-i], downloader, path)
		if text := read(t, path); strings.Count(text, `"op":"http"`) != 30 || !strings.Contains(text, `\"bytes\":50}`) {
			t.Errorf("read(t, path): got %+v, want strings.Count(text, `\"op\":\"http\"`) == 30 && strings.Contains(text, `\\\"bytes\\\":50}`)", text)
		}
	}
}
