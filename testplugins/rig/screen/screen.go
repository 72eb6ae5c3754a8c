package screen

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Required is the environment variable that makes a missing Xvfb fail the tests: "required".
// Else they are left out, and say so.
const Required = "PDPP_TEST_SCREEN"

// Start starts a screen that ends with the test, and returns its name, as DISPLAY has it.
func Start(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("Xvfb")
	if err != nil {
		if os.Getenv(Required) == "required" {
			t.Fatalf("%s=required, and %v", Required, err)
		}
		t.Skipf("NOT TESTED WITH A WINDOW: %v; install it (Debian: apt-get install xvfb)", err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp") //nolint:gosec,noctx // it is ended below
	cmd.ExtraFiles = []*os.File{in}
	var said strings.Builder
	cmd.Stderr = &said
	err = cmd.Start()
	_ = in.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = out.Close()
	})
	number, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("Xvfb did not start: %v: %s", err, said.String())
	}
	return ":" + strings.TrimSpace(number)
}
