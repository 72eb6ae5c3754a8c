package invocation

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/config"
)

// Flags are the flags that every command has.
type Flags struct {
	Config, DataDir, Plugins string
	JSON, Quiet              bool
	LogLevel, LogFormat      string
}

// dress gives a tree of commands the flags that all have, and the way in which
// they begin and fail.
func (i *Invocation) dress(root *cobra.Command) *cobra.Command {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(i.Out)
	root.SetErr(i.Err)
	root.SetFlagErrorFunc(syntax.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return i.begin(cmd) }
	root.SuggestionsMinimumDistance = 2

	p, f := root.PersistentFlags(), &i.Flags
	p.StringVar(&f.Config, "config", "", "configuration `FILE` (default $XDG_CONFIG_HOME/pdpp/pdpp.yaml)")
	p.StringVar(&f.DataDir, "data-dir", "", "`DIR` of "+i.keeps+" (default ~/.local/share/pdpp)")
	p.StringVar(&f.Plugins, "plugins", "", "`DIR` of the connectors (default DATA_DIR/plugins)")
	p.BoolVar(&f.JSON, "json", false, "print one JSON envelope as the last line")
	p.BoolVar(&f.Quiet, "quiet", false, "no progress and no summary")
	p.StringVar(&f.LogLevel, "log-level", "warn", "`LEVEL` of the log: debug, info, warn or error")
	p.StringVar(&f.LogFormat, "log-format", "text", "`FORMAT` of the log: text or json")
	return root
}

// Configuration loads the configuration, with what the flags say of it.
func (i *Invocation) Configuration() (*config.Config, error) {
	src := config.Source{File: i.Flags.Config, Environ: os.Environ(), Home: i.Home, Flags: map[string]config.Flag{}}
	if i.Flags.DataDir != "" {
		src.Flags[config.KeyDataDir] = config.Flag{Name: "--data-dir", Value: i.Flags.DataDir}
	}
	if i.Flags.Plugins != "" {
		src.Flags[config.KeyPluginsDir] = config.Flag{Name: "--plugins", Value: i.Flags.Plugins}
	}
	return config.Load(src)
}
