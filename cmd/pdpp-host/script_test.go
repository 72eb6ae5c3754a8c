package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // for the sql command of the stories

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// TestStories runs testdata/script: each file tells one owner's story, with the
// commands and what they print. They are the manual.
func TestStories(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: setUp,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": story.Exits, "install": install, "until": until, "terminate": terminate, "sql": runSQL, "load": story.Load, "device": deviceDoes,
			"postgres": postgresStore,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "superuser" {
				return os.Getuid() == 0, nil
			}
			return false, errors.New("unknown condition " + cond)
		},
	})
}

// storyTest is the key of a story's own test.
type storyTest struct{}

// postgresStore has the commands keep their store on a PostgreSQL of the story's own:
// postgres. Where none is installed the story ends. With a statement it runs that on it,
// behind the program's back: postgres STATEMENT.
func postgresStore(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: postgres [STATEMENT]")
	}
	if len(args) == 1 {
		ts.Check(pgtest.Run(ts.Getenv("PDPP_STORAGE_DSN"), args[0]))
		return
	}
	t, ok := ts.Value(storyTest{}).(testing.TB)
	if !ok {
		ts.Fatalf("no test")
	}
	ts.Setenv("PDPP_STORAGE_DSN", strings.Replace(pgtest.Database(t, nil), "store@", "store:"+canary+"@", 1))
}

// goNames are the variables by which a story builds where the test does, and goEnv their values.
var goNames = []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"}

var goEnv = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", append([]string{"env"}, goNames...)...).Output()
	values := strings.Split(string(out), "\n") // each on a line of its own
	if err == nil && len(values) != len(goNames)+1 {
		err = fmt.Errorf("go env says %q, want %d lines", out, len(goNames))
	}
	return values, err
})

// setUp makes an owner with an empty home, and an empty plugins folder.
func setUp(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Values[storyTest{}] = env.T()
	data, err := story.Home(home)
	if err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("PDPP_BROWSER_PATH", filepath.Join(env.WorkDir, "none")) // a story is the same with and without a browser
	env.Setenv("DATA", data)
	values, err := goEnv()
	if err != nil {
		return err
	}
	for i, name := range goNames {
		env.Setenv(name, values[i])
	}
	checkout, err := story.Checkout()
	env.Setenv("CHECKOUT", checkout)
	return err
}

// install puts a module into the plugins folder: install github [AS]. With -changed
// it changes the module: a custom section at its end makes another hash of the
// same code. With -automatic its manifest recommends that it runs by itself, every
// hour. With -foreign a variable of its manifest is another program's.
func install(ts *testscript.TestScript, neg bool, args []string) {
	change, automatic, foreign := false, false, false
	for ; len(args) > 0 && strings.HasPrefix(args[0], "-"); args = args[1:] {
		change, automatic = change || args[0] == "-changed", automatic || args[0] == "-automatic"
		foreign = foreign || args[0] == "-foreign"
	}
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: install [-changed] [-automatic] [-foreign] MODULE [AS]")
	}
	path, err := module(args[0])
	ts.Check(err)
	b, err := os.ReadFile(path)
	ts.Check(err)
	if automatic {
		ts.Check(recommend(b))
	}
	if foreign {
		b = bytes.ReplaceAll(b, []byte("CREDENTIALED_ACCOUNT"), []byte("SOMEBODYELSE_ACCOUNT"))
	}
	if change {
		b = append(b, 0, 3, 1, 'x', 0) // section 0 (custom), 3 bytes: name of 1 byte, 1 byte
	}
	name := filepath.Join(ts.Getenv("DATA"), "plugins", args[len(args)-1]+".wasm")
	ts.Check(os.WriteFile(name, b, 0o600))
}

// recommend puts another policy over the one in a test guest, byte for byte.
func recommend(module []byte) error {
	const was = `"recommended_mode": "manual", "rationale": "A test guest runs when a test runs it."`
	const is = `"recommended_mode":"automatic","rationale":"x","recommended_interval_seconds":3600`
	at := bytes.Index(module, []byte(was))
	if at < 0 || len(is) > len(was) {
		return errors.New("the module has no policy to replace")
	}
	copy(module[at:], is+strings.Repeat(" ", len(was)-len(is)))
	return nil
}

// until runs a command again and again until its output contains a text:
// until '"running"' pdpp-host ….
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until TEXT COMMAND…")
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		if ts.Exec(args[1], args[2:]...) == nil && strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return
		}
	}
	ts.Fatalf("%q never came", args[0])
}

// terminate sends SIGTERM to what runs in the background, as a supervisor does.
func terminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: terminate")
	}
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
}

// runSQL changes a database behind the program's back: sql FILE STATEMENT.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}
