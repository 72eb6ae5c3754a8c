// Package scaffold writes the folder that a new connector begins with: a module
// that builds, a manifest that is valid, tests that pass; one of a service has a
// simulation of it. The files are the
// templates in template/; nothing is fetched and nothing is run.
package scaffold
