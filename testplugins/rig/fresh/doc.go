// Package fresh puts new stores with their schema where tests open one, as package blank has
// them: the steps of the schema take longer than most of what a test does with a store, and
// ten times so under the race detector. The store's own tests use blank.
package fresh
