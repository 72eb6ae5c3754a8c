package pgtest

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"testing"
	"time"
)

const childEnv = "PDPP_PGTEST_CHILD"

// The server and its folder go with a test process that is killed.
func TestAServerEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	if os.Getenv(childEnv) != "" {
		c := quick()
		if c.err != nil {
			t.Fatal(c.err)
		}
		_, _ = os.Stdout.WriteString(c.dir + "\n")
		select {}
	}
	_ = Database(t, nil) // says so where there is none
	child := exec.Command(os.Args[0], "-test.run=^TestAServerEndsWithItsProcess$")
	child.Env = append(os.Environ(), childEnv+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child says nothing")
	}
	dir := lines.Text()
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	for end := time.Now().Add(2 * time.Minute); ; {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is still there", dir)
		}
		time.Sleep(10 * time.Millisecond) //nolint:forbidigo // another process's work
	}
}
