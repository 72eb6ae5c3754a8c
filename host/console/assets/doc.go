// Package assets has the console's styles, scripts and pictures, embedded in the program and
// served under names that change with their bytes, so that a browser keeps them.
//
// htmx.js and sse.js are htmx 2.0.11 and its extension for server-sent events 2.2.4, as their
// authors publish them (0BSD).
package assets
