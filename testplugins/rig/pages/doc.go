// Package pages serves the console and the owner's API on this machine, within a test's own
// process: for tests whose owner has what no built program can be given.
package pages
