// Package console is the owner's face in a browser: server-rendered pages that parse a form,
// call an operation of host/owner, and show its result (OC-12). Everything works without
// JavaScript; with it, lists and runs update by themselves.
//
// This package puts the pages together. They share four folders: site (a visit, its answer,
// its errors), ui (the frame of a page and its parts), words (every sentence) and assets
// (styles and scripts). The pages of one noun are in a folder of their own. `make generate`
// turns their templates into Go.
//
// It decides nothing about a connection: verdicts come from host/owner, and their fields are
// shown as they are.
package console

//go:generate go tool templ generate -path . -log-level error
