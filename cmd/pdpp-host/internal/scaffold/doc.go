// Package scaffold writes the folder that a new connector begins with: a module
// that builds, a manifest that is valid, a test that passes. The files are the
// templates in template/; nothing is fetched and nothing is run.
package scaffold
