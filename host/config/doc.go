// Package config turns defaults, pdpp.yaml, the environment and the command line's
// flags into one typed, immutable Config, and records the origin of each value.
//
// It reads the one configuration file and nothing else: it creates no folder, opens no
// database and knows no command. Values come in through a Source; package main of a
// command uses the Config to wire the rest. Of the host's packages only this one
// imports viper.
package config
