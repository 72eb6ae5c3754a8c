package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/spawn"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// prey is what an escaped worker goes for.
type prey struct {
	Key     string `json:"key"`
	Granted string `json:"granted"`
	Cache   string `json:"cache"`
	Socket  string `json:"socket"`
	Address string `json:"address"`
	Host    int    `json:"host"`  // the parent's process id
	Early   bool   `json:"early"` // strike before the worker is confined
}

// escapes are what native code in a worker may try once a guest has broken out of
// WebAssembly. Each returns nil when it got what it wanted.
var escapes = map[string]func(p *prey) error{
	"read the key":        func(p *prey) error { _, err := os.ReadFile(p.Key); return err },
	"list its folder":     func(p *prey) error { _, err := os.ReadDir(filepath.Dir(p.Key)); return err },
	"leave by dots":       func(p *prey) error { _, err := os.ReadFile(p.Granted + "/../" + filepath.Base(p.Key)); return err },
	"read the system":     func(*prey) error { _, err := os.ReadFile("/etc/passwd"); return err },
	"write to the grant":  func(p *prey) error { return os.WriteFile(p.Granted+"/planted", nil, 0o600) },
	"change the grant":    func(p *prey) error { return syscall.Chmod(p.Granted+"/a.txt", 0o777) },
	"empty the grant":     func(p *prey) error { return empty(p.Granted + "/empty.txt") },
	"empty the key":       func(p *prey) error { return empty(p.Key) },
	"delete in the grant": func(p *prey) error { return os.Remove(p.Granted + "/gone.txt") },
	"plant code":          func(p *prey) error { return os.WriteFile(p.Cache+"/planted", []byte("code"), 0o600) },
	"run a program":       func(*prey) error { return run("/bin/true") },
	"run itself":          func(*prey) error { return run("/proc/self/exe") },
	"host's memory":       func(p *prey) error { return peek(fmt.Sprintf("/proc/%d/mem", p.Host)) },
	"host's environment":  func(p *prey) error { return peek(fmt.Sprintf("/proc/%d/environ", p.Host)) },
	"process_vm_readv":    func(p *prey) error { return readMemory(p.Host) },
	"ptrace":              func(p *prey) error { return attach(p.Host) },
	"signal the host":     func(p *prey) error { return syscall.Kill(p.Host, 0) },
	"signal its threads":  func(p *prey) error { return unix.Tgkill(p.Host, p.Host, 0) },
	"limits of the host":  func(p *prey) error { return unix.Prlimit(p.Host, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
	"connect over TCP":    func(p *prey) error { return connect("tcp", p.Address) },
	"connect to a socket": func(p *prey) error { return connect("unix", p.Socket) },
	"listen":              func(*prey) error { return listen() },
	"send over UDP":       func(*prey) error { return connect("udp", "127.0.0.1:9") },
	"socket pair":         func(*prey) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
	"io_uring":            func(*prey) error { return system(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(new([120]byte)))) },
	"bpf": func(*prey) error {
		return system(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(new([72]byte))), 72)
	},
	"unshare":              func(*prey) error { return unix.Unshare(unix.CLONE_FS) },
	"file in memory":       func(*prey) error { _, err := unix.MemfdCreate("x", 0); return err },
	"handle of a process":  func(p *prey) error { _, err := unix.PidfdOpen(p.Host, 0); return err },
	"watch files":          func(*prey) error { _, err := unix.InotifyInit1(0); return err },
	"type at the terminal": func(*prey) error { return system(unix.SYS_IOCTL, 2, unix.TIOCINQ, uintptr(unsafe.Pointer(new(int32)))) },
	"a child":              func(*prey) error { return fork() },
}

// byFiles are the escapes that Landlock alone stops, and byEither those that it stops
// as the filter of system calls does. The filter alone stops all others.
var (
	byFiles = []string{"read the key", "list its folder", "leave by dots", "read the system", "host's memory", "host's environment"}
	// Running a program takes the right to execute it.
	byEither = []string{"write to the grant", "empty the key", "delete in the grant", "plant code", "run a program", "run itself"}
)

// stops reports whether one of the walls that hold stops an escape.
func stops(holds map[string]bool, escape string) bool {
	files := slices.Contains(byFiles, escape)
	return holds["seccomp"] && !files || holds["Landlock"] && (files || slices.Contains(byEither, escape))
}

// known are what an escaped worker can do all the same, as doctor says: Landlock does
// not govern either, and both are calls of whoever reads the granted folders.
var known = map[string]func(p *prey) error{
	"see a file elsewhere":  func(p *prey) error { _, err := os.Lstat(p.Key); return err },
	"see where a link goes": func(p *prey) error { _, err := os.Readlink(filepath.Dir(p.Key) + "/link"); return err },
}

// harmless are what a worker has to be able to do behind its walls.
var harmless = map[string]func(p *prey) error{
	"read the grant":  func(p *prey) error { _, err := os.ReadFile(p.Granted + "/a.txt"); return err },
	"list the grant":  func(p *prey) error { _, err := os.ReadDir(p.Granted); return err },
	"start a thread":  func(*prey) error { done := make(chan error); go func() { done <- nil }(); return <-done },
	"take memory":     func(*prey) error { _ = make([]byte, 8<<20); return nil },
	"read its clocks": func(*prey) error { return unix.ClockGettime(unix.CLOCK_MONOTONIC, &unix.Timespec{}) },
}

func empty(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func run(program string) error {
	p, err := os.StartProcess(program, []string{program, "-test.run=^$"}, &os.ProcAttr{})
	if err != nil {
		return err
	}
	_, err = p.Wait()
	return err
}

func peek(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func system(number, a, b uintptr, more ...uintptr) error {
	c := uintptr(0)
	if len(more) > 0 {
		c = more[0]
	}
	fd, _, errno := syscall.Syscall(number, a, b, c)
	if errno != 0 {
		return errno
	}
	if fd > 2 {
		_ = syscall.Close(int(fd))
	}
	return nil
}

// readMemory reads from an address that need not be mapped: EFAULT means that the call
// was allowed.
func readMemory(pid int) error {
	b := make([]byte, 1)
	local := unix.Iovec{Base: &b[0], Len: 1}
	_, err := unix.ProcessVMReadv(pid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: 4096, Len: 1}}, 0)
	if err == unix.EFAULT { //nolint:errorlint // a bare number
		return nil
	}
	return err
}

// attach asks to trace without stopping: the host has to go on.
func attach(pid int) error {
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func connect(network, address string) error {
	c, err := net.Dial(network, address) //nolint:noctx // ends with its process
	if err != nil {
		return err
	}
	return c.Close()
}

func listen() error {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // ends with its process
	if err != nil {
		return err
	}
	return l.Close()
}

// fork makes a child that ends at once.
func fork() error {
	pid, _, errno := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	switch {
	case errno != 0:
		return errno
	case pid == 0:
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := syscall.Wait4(int(pid), nil, 0, nil)
	return err
}

// escapedWorker runs native code of a guest in a worker: the order to collect, or with
// Early the first order, starts it. It writes the names of its successful attempts to
// standard error, one a line.
func escapedWorker(argument string) {
	var p prey
	if err := json.Unmarshal([]byte(argument), &p); err != nil {
		panic(err)
	}
	in, orders := io.Pipe()
	go func() {
		to := wire.NewWriter(orders)
		for r := wire.NewReader(os.Stdin, 64<<10, fromHost); ; {
			f, err := r.Next()
			if err != nil {
				_ = orders.CloseWithError(err)
				return
			}
			if f.Kind == wire.Collect || p.Early && f.Kind == wire.Load && !bytes.Contains(f.Payload, []byte("compile_only")) {
				strike(&p)
			}
			_ = to.Write(f.Kind, f.ID, f.Payload)
		}
	}()
	os.Exit(WorkerMain(in, os.Stdout))
}

func strike(p *prey) {
	for name, escape := range escapes {
		if p.Early && name == "ptrace" {
			continue // it would stop the test
		}
		if err := escape(p); err == nil {
			fmt.Fprintln(os.Stderr, "got: "+name)
		}
	}
	for name, act := range known {
		if err := act(p); err == nil {
			fmt.Fprintln(os.Stderr, "known: "+name)
		}
	}
	for name, need := range harmless {
		if err := need(p); err != nil {
			fmt.Fprintln(os.Stderr, "cannot:", name, err)
		}
	}
	fmt.Fprintln(os.Stderr, "struck")
}

// A guest that broke out of WebAssembly finds nothing but the folders that it was
// granted. The same attempts before the walls are up show that each one can succeed.
// Invariant 6 behind its last wall, and Invariant 5.
func TestEscapedWorkerFindsNothing(t *testing.T) {
	t.Parallel()
	holds := make(map[string]bool)
	for _, w := range Walls() {
		if holds[w.Name] = w.Holds; !w.Holds {
			t.Logf("LEFT OUT: what %s stops: %s", w.Name, w.Detail)
		}
	}
	for _, early := range []bool{false, true} {
		t.Run(map[bool]string{false: "confined", true: "control"}[early], func(t *testing.T) {
			t.Parallel()
			got := struck(t, early)
			if early {
				// Of the host's memory the kernel's own rules keep some back from a
				// process that is no parent of it.
				free := []string{"host's memory", "process_vm_readv", "ptrace", "run itself", "bpf", "io_uring"}
				for name := range escapes {
					if !strings.Contains(got, "got: "+name+"\n") && !slices.Contains(free, name) {
						t.Errorf(`%q fails before the walls stand, so that it proves nothing, want strings.Contains(got, "got: "+name+"\n") || slices.Contains(free, name)`, name)
					}
				}
				return
			}
			for name := range escapes {
				if strings.Contains(got, "got: "+name+"\n") && stops(holds, name) {
					t.Errorf("the worker got %q, want it stopped", name)
				}
			}
			for name := range known {
				if !strings.Contains(got, "known: "+name+"\n") {
					t.Errorf("the worker cannot %s, want it as doctor says", name)
				}
			}
			if strings.Contains(got, "cannot: ") || !strings.HasSuffix(got, "struck\n") {
				t.Errorf("the worker says %q, want it to do what is harmless and finish", got)
			}
		})
	}
}

// struck runs an escaped worker to its end and returns what it wrote.
func struck(t *testing.T, early bool) string {
	t.Helper()
	dir := t.TempDir()
	p := prey{
		Key: dir + "/credentials.key", Granted: dir + "/granted", Cache: dir + "/cache", Socket: dir + "/socket",
		Host: os.Getpid(), Early: early,
	}
	if err := os.Mkdir(p.Granted, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{p.Key, p.Granted + "/a.txt", p.Granted + "/gone.txt", p.Granted + "/empty.txt"} {
		if err := os.WriteFile(f, []byte("swordfish"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/nowhere", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": p.Socket} {
		l, err := net.Listen(network, address) //nolint:noctx // closed below
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		if network == "tcp" {
			p.Address = l.Addr().String()
		}
	}
	argument, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEngine(Options{
		CacheDir: p.Cache, Limits: testLimits(), WorkerCommand: []string{spawn.Program(), escapedArgument, string(argument)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	roots := []Mount{{Name: "granted", Path: p.Granted}}
	// The grant is known to Load, so that one worker does it all.
	g, err := e.Load(t.Context(), connector(nil).file(), roots...)
	if err != nil {
		t.Fatal(err)
	}
	worker := g.cell.(*processCell).worker
	exit := g.Collect(t.Context(), Grant{Bindings: map[string]bool{abi.BindingFilesystem: true}, Roots: roots}, &scripted{})
	if exit.Err != nil {
		t.Fatalf("got %+v, want exit.Err == nil", exit.Err)
	}
	return worker.stderr.String()
}

// A worker cannot read a root that was granted after it had been confined: it is
// replaced by one that can.
func TestWorkerIsReplacedForItsRoots(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "files")
	g := mustLoad(t, Options{Limits: testLimits()}, f)
	first := workerPID(g)
	if exit := g.Collect(t.Context(), filesGrant(), &scripted{}); exit.Err != nil {
		t.Fatalf("g.Collect(t.Context(), filesGrant(), &scripted{}): got %+v, want exit.Err == nil", exit.Err)
	}
	if !gone(t, first) {
		t.Error("the worker without roots lives on, want it replaced")
	}
	// With the roots known, the first one stays.
	g = mustLoadFor(t, f, filesGrant().Roots)
	worker := g.cell.(*processCell).worker
	if exit := g.Collect(t.Context(), filesGrant(), &scripted{}); exit.Err != nil {
		t.Fatalf("g.Collect(t.Context(), filesGrant(), &scripted{}): got %+v, want exit.Err == nil", exit.Err)
	}
	if state := worker.cmd.ProcessState; state == nil {
		t.Error("the worker that could read its roots was replaced")
	}
}

func mustLoadFor(t *testing.T, f *File, roots []Mount) *Guest {
	t.Helper()
	e, err := NewEngine(Options{Limits: testLimits(), CacheDir: sharedCache()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	g, err := e.Load(t.Context(), f, roots...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWallsNameWhatTheyAre(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for _, w := range Walls() {
		fmt.Fprintln(&b, w.Name)
		if !w.Holds && w.Detail == "" {
			t.Errorf(`%s does not hold, and nothing says why, want w.Holds || w.Detail != ""`, w.Name)
		}
	}
	if got, want := b.String(), "Landlock\nseccomp\n"; got != want {
		t.Errorf("walls %q, want %q", got, want)
	}
}
