package nobody

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// id is the user and the group that own nothing.
const id = 65534

// Main is the TestMain of a package: run runs its tests, or does what the environment asks for.
// As the superuser it starts a copy of this program as nobody, in a folder of its own.
func Main(m *testing.M, run func(*testing.M) int) {
	if os.Geteuid() != 0 {
		os.Exit(run(m))
	}
	code, err := again()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func again() (code int, err error) {
	dir, err := os.MkdirTemp("", "pdpp-nobody-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program := filepath.Join(dir, filepath.Base(os.Args[0]))
	if err := errors.Join(os.Chown(dir, id, id), Copy(program)); err != nil {
		return 0, err
	}
	// The log that go test keeps of a run is the superuser's.
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool { return strings.HasPrefix(a, "-test.testlogfile=") })
	cmd := exec.Command(program, args...) //nolint:gosec,noctx // this program
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = os.Stdin, os.Stdout, os.Stderr, dir
	// So is the folder of what tests have built.
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir, "PDPP_TEST_BUILT=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	var ended *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &ended):
		return ended.ExitCode(), nil
	default:
		return 0, err
	}
}

// Copy copies this program to a path, as everybody's to run.
func Copy(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) //nolint:gosec // nobody runs it
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
