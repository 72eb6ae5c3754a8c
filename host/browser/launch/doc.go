// Package launch starts a browser's program and ends it: its command line, its environment,
// its process group, and the reasons why it does not start.
//
// In: a program, a profile's folder, a folder for this run, and the address of the wall. Out:
// a process that is spoken to over descriptors 3 and 4, and listens nowhere (BR-01). Its
// environment is made from nothing: its home is its profile, so it finds nothing of the
// owner's. When this process ends, in whatever way, the pipe does, and with it the browser.
package launch
