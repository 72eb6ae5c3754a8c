package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

// laneFlags say which source instance of this machine a command is about.
type laneFlags struct{ source, profile, queue string }

func (f *laneFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&f.source, "source-instance-id", "", "`ID` of the source instance (not needed when one profile exists)")
	p.StringVar(&f.profile, "profile", "", "`NAME` of its profile")
	p.StringVar(&f.queue, "queue", "", "`FILE` of its outbox (default: the profile's own)")
}

// lane is one source instance: its profile and its outbox.
type lane struct {
	profile *collector.Profile
	path    string
}

// lane finds the one source instance that is meant.
func (a *app) lane(f laneFlags) (*lane, error) {
	profile, err := a.profile(f)
	if err != nil {
		return nil, err
	}
	path, err := collector.LanePath(a.env(), profile, f.queue)
	return &lane{profile, path}, err
}

// profile is the profile that the flags name; else the environment's; else the
// only one of this machine.
func (a *app) profile(f laneFlags) (*collector.Profile, error) {
	dir, err := collector.ProfilesOf(a.env())
	if err != nil {
		return nil, err
	}
	if f.profile != "" {
		p, err := dir.Load(f.profile)
		if err == nil && f.source != "" && f.source != p.SourceInstanceID {
			err = syntax.Usage("--profile and --source-instance-id name two source instances", "leave one of them out")
		}
		return p, err
	}
	env, err := collector.ProfileFromEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	source := f.source
	if source == "" && env == nil {
		source = cmp.Or(os.Getenv(collector.EnvSourceInstance), os.Getenv(collector.EnvConnection))
	}
	switch {
	case env != nil && (source == "" || source == env.SourceInstanceID):
		return env, nil
	case source != "":
		return dir.Find(source)
	}
	return only(dir)
}

// only returns the one profile of this machine; none and several are errors.
func only(dir *collector.Profiles) (*collector.Profile, error) {
	list, broken := dir.List()
	switch {
	case broken != nil: // it may be the one that is meant
		return nil, broken
	case len(list) == 1:
		return list[0], nil
	case len(list) == 0:
		return nil, abi.NewError(collector.CodeProfileMissing, "this machine is not enrolled",
			"ask your host for a code, then: "+program+" enroll --base-url ADDRESS").WithDetail("no profile in " + dir.Dir)
	}
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = fmt.Sprintf("%s (%s)", p.SourceInstanceID, p.ConnectorID)
	}
	slices.Sort(names)
	return nil, abi.NewError(collector.CodeProfileAmbiguous, "this machine has several profiles", "say which one with --source-instance-id ID").
		WithDetail(output.Clean(strings.Join(names, ", ")))
}

// recoverable finds the source instance of a recovery. Nothing is guessed: the id
// is asked for, its profile names its outbox, and without a profile both the
// credential and the outbox must have been given (HL-23.11).
func (a *app) recoverable(f laneFlags) (*lane, error) {
	if f.source == "" {
		return nil, syntax.Usage("recover needs --source-instance-id", "your host shows the id, beside the command to run here; "+program+" status shows it too")
	}
	profile, err := a.profile(f)
	if err != nil {
		return nil, err
	}
	env := a.env()
	switch {
	case profile.Name != "": // an outbox that the environment names may be another's
		env.Getenv = without(os.Getenv, collector.EnvQueue)
	case f.queue == "" && os.Getenv(collector.EnvQueue) == "":
		return nil, abi.NewError(collector.CodeProfileMissing, "no profile of this source instance is on this machine, and no outbox is named",
			"run it on the machine that was enrolled, or name the outbox with --queue FILE").WithDetail(output.Clean(f.source))
	}
	path, err := collector.LanePath(env, profile, f.queue)
	return &lane{profile, path}, err
}

func without(getenv func(string) string, hidden string) func(string) string {
	return func(name string) string {
		if name == hidden {
			return ""
		}
		return getenv(name)
	}
}

// install is what this program knows of itself (LC-08).
func install() collector.Install {
	in := collector.Install{ReadFile: os.ReadFile}
	if version != "dev" {
		in.Version = version
	}
	in.Executable, _ = os.Executable() // "" when unknown: the posture is unknown then
	in.Build, _ = debug.ReadBuildInfo()
	return in
}
