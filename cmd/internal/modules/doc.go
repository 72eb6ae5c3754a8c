// Package modules finds the connectors of the plugins folder, reads them and
// checks what can be checked before they run. It decides nothing of a run, and
// keeps nothing but compiled code.
package modules
