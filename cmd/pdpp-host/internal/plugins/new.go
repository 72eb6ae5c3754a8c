package plugins

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/scaffold"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
)

func newCommand(s *session.Session) *cobra.Command {
	var name, sdk, kind string
	cmd := &cobra.Command{
		Use: "new DIR", Short: "Write a new connector that builds", Args: syntax.Takes("DIR"),
		RunE: func(_ *cobra.Command, args []string) error { return newConnector(s, args[0], name, sdk, kind) },
	}
	cmd.Flags().StringVar(&name, "name", "", "the connector's `NAME` (default: the folder's)")
	cmd.Flags().StringVar(&kind, "kind", scaffold.KindFiles, "the `KIND` of connector: "+strings.Join(scaffold.Kinds, ", "))
	cmd.Flags().StringVar(&sdk, "sdk", "", "build against the checkout of pdpp-host in `DIR`")
	return cmd
}

// newConnector writes the folder. Without --sdk it builds against the checkout that
// this program or the folder lies in, since a program that is no release has no
// released module to name.
func newConnector(s *session.Session, dir, name, sdk, kind string) error {
	o := scaffold.Options{Dir: dir, Kind: kind, Name: name, Version: release(s.Version), Go: goDirective(), Host: byPath(s)}
	switch {
	case sdk != "":
		if o.SDK = scaffold.Checkout(sdk); o.SDK == "" {
			return syntax.Usage("--sdk names no checkout of pdpp-host", "name the folder that holds its go.mod").WithDetail(sdk)
		}
	case o.Version == "":
		if o.SDK = scaffold.Checkout(dir); o.SDK == "" {
			o.SDK = checkoutOfProgram()
		}
		if o.SDK == "" {
			return syntax.Usage("this pdpp-host is no release, so there is no SDK version to build against",
				"name a checkout of pdpp-host with --sdk DIR")
		}
	}
	if o.Version == "" {
		o.Version = "v0.0.0"
	}
	files, err := scaffold.New(o)
	if err != nil {
		return err
	}
	summary := fmt.Sprintf("wrote %d files to %s", len(files), dir)
	return s.Printer.Result(summary, map[string]any{"dir": dir, "files": files, "sdk": o.SDK}, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n  next: cd %s && make test\n", summary, syntax.Quoted(dir))
	})
}

// byPath is where this program is, "" where its name finds it.
func byPath(s *session.Session) string {
	program, err := os.Executable()
	if s.Invoked == "" || s.Invoked == filepath.Base(s.Invoked) || err != nil {
		return ""
	}
	return program
}

// release returns a program's version when it names a released module.
func release(version string) string {
	if parts := strings.Split(version, "."); strings.HasPrefix(version, "v") && len(parts) == 3 && !strings.ContainsAny(version, "-+") {
		return version
	}
	return ""
}

// goDirective is the first release of the Go series that built this program,
// which is what the SDK's own go.mod asks for at most.
func goDirective() string {
	parts := strings.SplitN(strings.TrimPrefix(runtime.Version(), "go"), ".", 3)
	if len(parts) < 2 {
		return "1.26.0" // a development toolchain has no number
	}
	minor, _, _ := strings.Cut(strings.TrimRight(parts[1], " -+"), "rc")
	return parts[0] + "." + minor + ".0"
}

// checkoutOfProgram finds the checkout that this program was built in.
func checkoutOfProgram() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	if target, err := filepath.EvalSymlinks(program); err == nil {
		program = target
	}
	return scaffold.Checkout(filepath.Dir(program))
}
