// Package assets has the console's styles, scripts and pictures, embedded in the program and
// served under names that change with their bytes, so that a browser keeps them.
package assets
