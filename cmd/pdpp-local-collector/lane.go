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
	"github.com/pdpp-host/pdpp-host/host/collector/posture"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// laneFlags say which source instance of this machine a command is about.
type laneFlags struct{ source, profile, queue string }

func (f *laneFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&f.source, "source-instance-id", "", "`ID` of the source instance, or a name that is its alone (not needed when one profile exists)")
	p.StringVar(&f.profile, "profile", "", "`NAME` of its profile")
	p.StringVar(&f.queue, "queue", "", "`FILE` of its outbox (default: the profile's own)")
}

// lane is one source instance: its profile and its outbox.
type lane struct {
	profile *profile.Profile
	path    string
}

// lane finds the one source instance that is meant.
func (a *app) lane(f laneFlags) (*lane, error) {
	p, err := a.profile(f)
	if err != nil {
		return nil, err
	}
	path, err := profile.LanePath(a.env(), p, f.queue)
	return &lane{p, path}, err
}

// profile is the profile that the flags name; else the environment's; else the
// only one of this machine.
func (a *app) profile(f laneFlags) (*profile.Profile, error) {
	dir, err := profile.FolderOf(a.env())
	if err != nil {
		return nil, err
	}
	if f.profile != "" {
		p, err := dir.Load(f.profile)
		if abi.CodeOf(err) == profile.CodeMissing {
			if other, lookErr := named(dir, f.profile); abi.CodeOf(lookErr) != profile.CodeMissing {
				p, err = other, lookErr
			}
		}
		if err == nil && f.source != "" && !p.Named(f.source) {
			err = syntax.Usage("--profile and --source-instance-id name two source instances", "leave one of them out")
		}
		return p, err
	}
	env, err := profile.FromEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	source := f.source
	if source == "" && env == nil {
		source = cmp.Or(os.Getenv(profile.EnvSourceInstance), os.Getenv(profile.EnvConnection))
	}
	switch {
	case env != nil && (source == "" || source == env.SourceInstanceID):
		return env, nil
	case source != "":
		return named(dir, source)
	}
	return only(dir)
}

// named returns the profile of a source; or, where no source has that id, the only
// one that goes by the name: the profile's, the connector's, or the connection's.
func named(dir *profile.Folder, name string) (*profile.Profile, error) {
	p, err := dir.Find(name)
	if abi.CodeOf(err) != profile.CodeMissing {
		return p, err
	}
	list, broken := dir.List()
	var found []*profile.Profile
	for _, p := range list {
		if p.Named(name) {
			found = append(found, p)
		}
	}
	switch {
	case broken != nil, len(found) == 0:
		return nil, err
	case len(found) > 1:
		return nil, ambiguous(found)
	}
	return found[0], nil
}

// lanes finds the source instances that a command is about: the one that is named,
// or all of this machine's.
func (a *app) lanes(f laneFlags) ([]*lane, error) {
	l, err := a.lane(f)
	named := f != (laneFlags{})
	for _, env := range []string{profile.EnvSourceInstance, profile.EnvConnection, profile.EnvQueue, profile.EnvBaseURL} {
		named = named || os.Getenv(env) != ""
	}
	if named || abi.CodeOf(err) != profile.CodeAmbiguous {
		return []*lane{l}, err
	}
	return a.allLanes()
}

// allLanes are all source instances of this machine. A profile that cannot be used
// comes as an error beside those that can.
func (a *app) allLanes() ([]*lane, error) {
	dir, err := profile.FolderOf(a.env())
	if err != nil {
		return nil, err
	}
	list, broken := dir.List()
	if len(list) == 0 {
		_, err := only(dir)
		return nil, err
	}
	out := make([]*lane, len(list))
	for i, p := range list {
		path, err := profile.LanePath(a.env(), p, "")
		if err != nil {
			return nil, err
		}
		out[i] = &lane{p, path}
	}
	return out, broken
}

// only returns the one profile of this machine; none and several are errors.
func only(dir *profile.Folder) (*profile.Profile, error) {
	list, broken := dir.List()
	switch {
	case broken != nil: // it may be the one that is meant
		return nil, broken
	case len(list) == 1:
		return list[0], nil
	case len(list) == 0:
		return nil, abi.NewError(profile.CodeMissing, "this machine is not enrolled",
			"ask your host for a code, then: "+program+" setup --base-url ADDRESS").WithDetail("no profile in " + dir.Dir)
	}
	return nil, ambiguous(list)
}

// ambiguous lists the profiles that may be meant.
func ambiguous(list []*profile.Profile) error {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = fmt.Sprintf("%s (%s, profile %s)", p.SourceInstanceID, p.ConnectorID, p.Name)
	}
	slices.Sort(names)
	return abi.NewError(profile.CodeAmbiguous, "this machine has several profiles", "say which one with --source-instance-id ID").
		WithDetail(output.Clean(strings.Join(names, ", ")))
}

// recoverable finds the source instance of a recovery, as every command finds its own.
// Its outbox is not guessed: the profile names it, and without a profile both the
// credential and the outbox must have been given (HL-23.11).
func (a *app) recoverable(f laneFlags) (*lane, error) {
	p, err := a.profile(f)
	if err != nil {
		return nil, err
	}
	env := a.env()
	switch {
	case p.Name != "": // an outbox that the environment names may be another's
		env.Getenv = without(os.Getenv, profile.EnvQueue)
	case f.queue == "" && os.Getenv(profile.EnvQueue) == "":
		return nil, abi.NewError(profile.CodeMissing, "no profile of this source instance is on this machine, and no outbox is named",
			"run it on the machine that was enrolled, or name the outbox with --queue FILE").WithDetail(output.Clean(p.SourceInstanceID))
	}
	path, err := profile.LanePath(env, p, f.queue)
	return &lane{p, path}, err
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
func install() posture.Install {
	in := posture.Install{ReadFile: os.ReadFile}
	if version != "dev" {
		in.Version = version
	}
	in.Executable, _ = os.Executable() // "" when unknown: the posture is unknown then
	in.Build, _ = debug.ReadBuildInfo()
	return in
}
