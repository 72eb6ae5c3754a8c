// Package modules finds the connectors of the plugins folder, reads them and
// checks what can be checked before they run. It puts what a module asks for into
// words, as Terms, and keeps an owner's acceptance with the connection: the pin that
// its runs are held to. A Memory spares asking a module again. It decides nothing of a run, and asks nobody.
package modules
