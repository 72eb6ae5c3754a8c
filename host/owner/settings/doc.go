// Package settings is the operation that reads the configuration: every value and where
// it came from. host/config loads it.
package settings
