// Package config turns defaults, pdpp.yaml, the environment and the command
// line's flags into one typed, immutable Config, and remembers for each value
// where it came from.
//
// It reads the one configuration file and nothing else: it creates no folder,
// opens no database and knows no command. Values come in through a Source;
// package main of a command takes the Config and wires the rest with it. It is
// the only package of the host that imports viper.
package config
