package storage

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

const lockChildEnv = "PDPP_STORAGE_LOCK_CHILD"

// lockChild holds the write lock of a store until its input ends.
func lockChild(path string) {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err == nil {
		_, err = db.Begin() //nolint:noctx // held until the process ends
	}
	fmt.Println("held", err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestLockNamesItsHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	s, err := Open(t.Context(), Options{Path: path, Now: time.Now, busyTimeout: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	child := osexec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), lockChildEnv+"="+path)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = child.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held <nil>\n" {
		t.Fatalf("the child: got %q, %v, want that it holds the lock", line, err)
	}
	_, err = s.EnsureConnection(t.Context(), "c", "demo")
	if abi.CodeOf(err) != abi.CodeStoreLocked {
		t.Fatalf("%v, want %s", err, abi.CodeStoreLocked)
	}
	if want := "locked by process " + strconv.Itoa(child.Process.Pid); !strings.Contains(err.Error(), want) {
		t.Errorf("the error says %q, want %q in it", err, want)
	}
}
