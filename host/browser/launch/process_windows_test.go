package launch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/pipe"
)

// asHost is the variable of the environment that makes of this program a host with a browser.
const asHost = "PDPP_TEST_AS_HOST"

// TestMain is the browser and its host, too: Windows is asked what it does with real processes.
func TestMain(m *testing.M) {
	switch last := os.Args[len(os.Args)-1]; {
	case strings.HasPrefix(last, "--remote-debugging-io-pipes="):
		os.Exit(browse(last))
	case last == "renderer":
		stay()
	case os.Getenv(asHost) != "":
		os.Exit(hold())
	}
	os.Exit(m.Run())
}

// browse is a browser: it starts another process at once, says which both are, and waits.
func browse(pipes string) int {
	program, err := os.Executable()
	if err != nil {
		return 2
	}
	child := exec.Command(program, "renderer")
	if err := child.Start(); err != nil {
		return 3
	}
	var in, out syscall.Handle
	if _, err := fmt.Sscanf(pipes, "--remote-debugging-io-pipes=%d,%d", &in, &out); err != nil {
		return 4
	}
	p := pipe.New(os.NewFile(uintptr(in), "in"), os.NewFile(uintptr(out), "out"), abi.BrowserMessage)
	if err := p.Send(fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid)); err != nil {
		return 5
	}
	stay()
	return 0
}

// stay does not end by itself.
func stay() { _, _ = windows.WaitForSingleObject(windows.CurrentProcess(), windows.INFINITE) }

// hold is a host with a browser: it says which processes that is, and waits.
func hold() int {
	_, said, err := started(os.Getenv(asHost))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(said)
	stay()
	return 0
}

// started starts a browser in a folder. It returns what the browser says.
func started(folder string) (*Process, string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	p, err := Start(Options{Program: program, Folder: folder, Temp: folder, Proxy: "127.0.0.1:1"})
	if err != nil {
		return nil, "", err
	}
	said, err := p.Pipe.Read()
	return p, string(said), err
}

// A browser that is killed takes along what it started as the first thing it did (BR-06).
func TestKillEndsAllOfTheJob(t *testing.T) {
	p, said, err := started(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	live := processes(t, said)
	p.Kill()
	gone(t, live)
}

// The processes of a browser end with the host that started them, however that ends (BR-06).
func TestJobEndsWithItsHost(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(program)
	host.Env = append(os.Environ(), asHost+"="+os.TempDir())
	out, err := host.StdoutPipe()
	if err == nil {
		err = host.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	live := processes(t, said)
	_ = host.Process.Kill()
	_ = host.Wait()
	gone(t, live)
}

// processes opens the two of a browser, which live.
func processes(t *testing.T, said string) (live [2]windows.Handle) {
	t.Helper()
	var ids [2]uint32
	if _, err := fmt.Sscan(said, &ids[0], &ids[1]); err != nil {
		t.Fatalf("got %q of a browser, want the ids of two processes", said)
	}
	for i, id := range ids {
		h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = windows.CloseHandle(h) })
		live[i] = h
	}
	return live
}

func gone(t *testing.T, live [2]windows.Handle) {
	t.Helper()
	for i, h := range live {
		if got, err := windows.WaitForSingleObject(h, uint32(time.Minute/time.Millisecond)); got != windows.WAIT_OBJECT_0 {
			t.Errorf("process %d of the browser: got %d (%v) after a minute, want it ended", i, got, err)
		}
	}
}

// A process of which nothing runs has not been started.
func TestNothingToResume(t *testing.T) {
	if err := resume(3); err == nil { // ids of processes are multiples of four
		t.Error("a process that is not there: got nil, want that it has no thread to resume")
	}
}
