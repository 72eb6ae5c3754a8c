// Package config has the commands that show the configuration. host/owner/settings
// reads it.
package config
