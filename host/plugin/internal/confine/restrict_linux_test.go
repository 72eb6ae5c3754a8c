package confine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain lets the test binary be the process that is confined: it cannot be undone.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == confinedArgument {
		confined(os.Args[2])
		return
	}
	goleak.VerifyTestMain(m)
}

const confinedArgument = "confined"

// order is the command for a confined process.
type order struct {
	Granted  string `json:"granted"`
	Outside  string `json:"outside"`
	Landlock string `json:"landlock"` // the key of landlocks; "" confines nothing
}

// landlocks are what kernels have of Landlock: the first ones do not govern truncation.
var landlocks = map[string]landlock.Config{
	"newest": landlock.V11.BestEffort(), "version 2": landlock.V2.BestEffort(), "none": noLandlock,
}

// writes are the ways to change a file or a folder. Each returns nil when it was done.
var writes = map[string]func(file, folder string) error{
	"open to truncate":    func(f, _ string) error { return open(f, unix.O_RDONLY|unix.O_TRUNC) },
	"open to write":       func(f, _ string) error { return open(f, unix.O_WRONLY) },
	"open to do both":     func(f, _ string) error { return open(f, unix.O_RDWR) },
	"open to create":      func(_, d string) error { return open(d+"/new", unix.O_RDONLY|unix.O_CREAT) },
	"open without a name": func(_, d string) error { return open(d, unix.O_RDWR|unix.O_TMPFILE) },
	"openat2": func(f, _ string) error {
		return shut(unix.Openat2(unix.AT_FDCWD, f, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_TRUNC}))
	},
	"open of old":   func(f, _ string) error { return byName("open", f, unix.O_RDONLY|unix.O_TRUNC) },
	"creat":         func(f, _ string) error { return byName("creat", f, 0o600) },
	"truncate":      func(f, _ string) error { return unix.Truncate(f, 1) },
	"make a folder": func(_, d string) error { return unix.Mkdir(d+"/folder", 0o700) },
	"make a pipe":   func(_, d string) error { return unix.Mkfifo(d+"/pipe", 0o600) },
	"link":          func(f, d string) error { return unix.Link(f, d+"/link") },
	"symbolic link": func(f, d string) error { return unix.Symlink(f, d+"/symlink") },
	"rename":        func(f, _ string) error { return unix.Rename(f, f) },
	"remove":        func(_, d string) error { return unix.Unlink(d + "/gone.txt") },
	"mode":          func(f, _ string) error { return unix.Chmod(f, 0o700) },
	"times":         func(f, _ string) error { return unix.Utimes(f, make([]unix.Timeval, 2)) },
	"attributes":    func(f, _ string) error { return unix.Setxattr(f, "user.x", []byte("x"), 0) },
}

func open(path string, flags int) error { return shut(unix.Open(path, flags, 0o600)) }

func shut(fd int, err error) error {
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// byName makes a system call that not every processor has.
func byName(name, path string, flags uintptr) error {
	processor, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	number, known := processor.SyscallNames[name]
	if !known {
		return unix.ENOSYS
	}
	text, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	fd, _, errno := unix.Syscall(uintptr(number), uintptr(unsafe.Pointer(text)), flags, 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

// confined tries to write behind the walls that the order asks for, and prints what
// it could do, one a line.
func confined(argument string) {
	var o order
	if err := json.Unmarshal([]byte(argument), &o); err != nil {
		panic(err)
	}
	if files, ok := landlocks[o.Landlock]; ok {
		if err := restrict(Access{Read: []string{o.Granted}}, files); err != nil {
			panic(err)
		}
	}
	for name, write := range writes {
		for place, folder := range map[string]string{"the grant": o.Granted, "another folder": o.Outside} {
			if err := write(folder+"/a.txt", folder); err == nil {
				fmt.Println(name + " in " + place)
			}
		}
	}
	if _, err := os.ReadFile(o.Granted + "/a.txt"); err != nil {
		fmt.Println("cannot read the grant:", err)
	}
	fmt.Println("tried")
}

// No kernel lets a confined process write, neither one whose Landlock does not
// govern truncation nor one that has none: the filter of system calls holds by itself.
func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	if why := seccompMissing(); why != "" {
		t.Skip("LEFT OUT: seccomp: " + why)
	}
	for name := range landlocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := order{Granted: folder(t), Outside: folder(t), Landlock: name}
			if got := try(t, o); !slices.Equal(got, []string{"tried"}) {
				t.Errorf("the process says %q, want nothing", got)
			}
			for _, dir := range []string{o.Granted, o.Outside} {
				entries, err := os.ReadDir(dir)
				text, rerr := os.ReadFile(filepath.Join(dir, "a.txt"))
				if err != nil || rerr != nil || len(entries) != 2 || string(text) != "swordfish" {
					t.Errorf("%s holds %v, a.txt %q: %v %v, want two files as they were", dir, entries, text, err, rerr)
				}
			}
		})
	}
	t.Run("control", func(t *testing.T) {
		t.Parallel()
		got := try(t, order{Granted: folder(t), Outside: folder(t)})
		processor, err := arch.GetInfo("")
		if err != nil {
			t.Fatal(err)
		}
		for name := range writes {
			_, known := processor.SyscallNames[strings.TrimSuffix(name, " of old")]
			optional := name == "attributes" || !known && (name == "creat" || name == "open of old") // of the file system, of the processor
			if !optional && !slices.Contains(got, name+" in the grant") {
				t.Errorf(`%q fails without walls, so that it proves nothing, want optional || slices.Contains(got, name+" in the grant")`, name)
			}
		}
	})
}

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "gone.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("swordfish"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// try runs a confined process and returns the lines that it printed.
func try(t *testing.T, o order) []string {
	t.Helper()
	argument, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], confinedArgument, string(argument))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v after %q, want no error", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// An old Landlock alone does not keep a file from being emptied, and Walls reports
// that.
func TestWallsSayWhatLacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version int
		missing string
		want    string
	}{
		{7, "", "[{Landlock true version 7 (" + visible + ")} {seccomp true }]"},
		{2, "", "[{Landlock true version 2 (" + visible + ")} {seccomp true }]"},
		{2, "none", "[{Landlock true version 2 (" + visible + "; a file that may be read can be emptied)} {seccomp false none}]"},
		{3, "none", "[{Landlock true version 3 (" + visible + ")} {seccomp false none}]"},
		{0, "", "[{Landlock false the kernel has none, or it is turned off} {seccomp true }]"},
	} {
		if got := fmt.Sprint(walls(c.version, c.missing)); got != c.want {
			t.Errorf("version %d, filter missing %q: got %s, want %s", c.version, c.missing, got, c.want)
		}
	}
}
