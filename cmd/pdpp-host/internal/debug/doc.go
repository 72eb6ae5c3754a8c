// Package debug has the commands that try the host's own rules on given input: health and
// verdict, and the send governor, as filters of JSON Lines. They read no store.
package debug
