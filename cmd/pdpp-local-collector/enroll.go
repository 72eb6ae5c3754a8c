package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// enrollFlags are the flags of `enroll`, as typed. The code is none of them: it is
// as good as a credential until it is used, and arguments are seen by everybody on
// the machine.
type enrollFlags struct {
	baseURL, label, profile, queue string
	codeStdin                      bool
}

// enrolled is what enrolling did. The token stands in the profile's file alone.
type enrolled struct {
	Object              string `json:"object"` // local_collector_enrollment
	Profile             string `json:"profile"`
	Path                string `json:"profile_path"`
	Host                string `json:"host"`
	DeviceID            string `json:"device_id"`
	SourceInstanceID    string `json:"source_instance_id"`
	ConnectorID         string `json:"connector_id"`
	ConnectorInstanceID string `json:"connector_instance_id"`
	// Superseded are the sources of this machine whose place this one took.
	Superseded []string `json:"superseded,omitempty"`
}

func (a *app) enrollCommand() *cobra.Command {
	var f enrollFlags
	cmd := &cobra.Command{
		Use: "enroll", Short: "Connect this machine to your host, with a code from there", Args: noCode,
		Long: "Connects this machine to your host. The code comes from the host, works once, and is asked for; or it is\n" +
			"read from standard input. It is never an argument.",
		Example: "  " + program + " enroll --base-url https://host.example\n  " + program + " enroll --base-url https://host.example --code-stdin < code",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, e, err := a.enroll(cmd.Context(), f)
			if err != nil {
				return err
			}
			return a.Printer.Result(output.Clean("enrolled  "+e.ConnectorID+"  "+e.SourceInstanceID), e, func(w io.Writer) {
				if !a.Flags.Quiet {
					a.writeEnrolled(w, e)
					a.writeNext(w, "connectors accept", e.SourceInstanceID)
				}
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (f *enrollFlags) add(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(noCodeFlag)
	p := cmd.Flags()
	p.StringVar(&f.baseURL, "base-url", "", "`ADDRESS` of the host (default $"+profile.EnvBaseURL+")")
	p.BoolVar(&f.codeStdin, "code-stdin", false, "read the code from standard input, and do not ask for it")
	p.StringVar(&f.label, "label", "", "`NAME` of this machine, as the host shows it")
	p.StringVar(&f.profile, "profile", "", "`NAME` of the profile (default: of the connector and its source)")
	p.StringVar(&f.queue, "queue", "", "`FILE` of the outbox, when it is not to be the usual one")
}

// noCode refuses arguments without repeating them: one may be the code.
func noCode(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return codeTyped()
}

// noCodeFlag is what is said of a flag, but for one that is the code.
func noCodeFlag(cmd *cobra.Command, err error) error {
	if strings.Contains(err.Error(), device.CodePrefix) {
		return codeTyped()
	}
	return syntax.FlagError(cmd, err)
}

func codeTyped() error {
	return syntax.Usage("an enrollment code is never an argument",
		"others on this machine can see arguments: leave it out and type it when asked, or pipe it in with --code-stdin. If a real one was typed, make a new one on the host")
}

// enroll turns a code into a profile, and saves it.
func (a *app) enroll(ctx context.Context, f enrollFlags) (*profile.Profile, *enrolled, error) {
	request := client.EnrollRequest{
		BaseURL: cmp.Or(f.baseURL, os.Getenv(profile.EnvBaseURL)), Label: f.label, Queue: f.queue, Name: f.profile, Install: install(), Now: a.Now,
	}
	if request.BaseURL == "" {
		return nil, nil, syntax.Usage("the host's address is missing", "write it as: --base-url https://host.example")
	}
	if err := profile.CheckAddress(request.BaseURL); err != nil { // before a code is asked for
		return nil, nil, err
	}
	profiles, err := profile.FolderOf(a.env())
	if err != nil {
		return nil, nil, err
	}
	if err := free(profiles, f.profile); err != nil {
		return nil, nil, err
	}
	if request.Label == "" {
		request.Label, _ = os.Hostname() // "": the host has a name for one without
	}
	text, err := a.code(ctx, f.codeStdin)
	if err != nil {
		return nil, nil, err
	}
	request.Code = profile.NewToken(string(text))
	clear(text)
	p, err := client.Enroll(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	if err := profiles.Save(p); err != nil {
		return nil, nil, err
	}
	if path, err := profile.LanePath(a.env(), p, ""); err == nil {
		if c, err := a.collector(&lane{p, path}); err == nil {
			c.Forget()
		}
	}
	superseded, err := profiles.Supersede(p)
	if err != nil {
		return nil, nil, err
	}
	return p, &enrolled{
		Superseded: superseded,
		Object:     "local_collector_enrollment", Profile: p.Name, Path: a.tilde(profiles.Path(p.Name)), Host: p.BaseURL,
		DeviceID: p.DeviceID, SourceInstanceID: p.SourceInstanceID, ConnectorID: p.ConnectorID, ConnectorInstanceID: p.ConnectorInstanceID,
	}, nil
}

func (a *app) writeEnrolled(w io.Writer, e *enrolled) {
	fmt.Fprintf(w, "%s  %s  delivers to %s\n", a.Printer.Style.Pill("green", "Enrolled"), output.Clean(e.ConnectorID), output.Clean(e.Host))
	fmt.Fprintf(w, "  source    %s\n  profile   %s, which holds the credential: keep it to yourself\n", output.Clean(e.SourceInstanceID), output.Clean(e.Path))
	for _, old := range e.Superseded {
		fmt.Fprintf(w, "  takes the place of source %s of this machine: what still waited there is collected again from its source\n", output.Clean(old))
	}
}

// free refuses the name of a profile that is there: the code would be used, and
// the other source's credential be lost.
func free(profiles *profile.Folder, name string) error {
	if name == "" {
		return nil
	}
	p, err := profiles.Load(name)
	switch {
	case abi.CodeOf(err) == profile.CodeMissing:
		return nil
	case err != nil:
		return err
	}
	return syntax.Usage("the profile "+name+" is of another source: "+output.Clean(p.SourceInstanceID),
		"name another one, or leave --profile out; a source that is not needed any more is given up with: "+program+" logout --profile "+name)
}

func (a *app) writeNext(w io.Writer, command, source string) {
	fmt.Fprintf(w, "  next: %s %s --source-instance-id %s\n", program, command, output.Clean(source))
}

// code reads the enrollment code; the caller zeroes it.
func (a *app) code(ctx context.Context, fromInput bool) ([]byte, error) {
	if fromInput && term.IsTerminal(int(a.In.Fd())) {
		return nil, syntax.Usage("--code-stdin is for a pipe or a file", "leave it out to be asked, or: "+program+" enroll --code-stdin < FILE")
	}
	return secret.Reader{In: a.In, Err: a.Err, Stop: a.Stop}.Read(ctx, "Enrollment code")
}
