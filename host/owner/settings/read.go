package settings

import (
	"os"

	"github.com/pdpp-host/pdpp-host/host/config"
)

// Settings are the values that hold.
type Settings struct {
	File   string         `json:"file,omitempty"`
	Values []config.Value `json:"values"`
}

// Read returns the settings of a configuration.
func Read(c *config.Config) *Settings { return &Settings{c.File(), c.Values()} }

// Defaults returns the settings of an installation that is not configured at all.
func Defaults(home string) (*Settings, error) {
	c, err := config.Load(config.Source{Home: home, File: os.DevNull})
	if err != nil {
		return nil, err
	}
	return &Settings{Values: c.Values()}, nil
}
