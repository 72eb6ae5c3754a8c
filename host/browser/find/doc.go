// Package find finds the browser that is installed (BR-04). It downloads nothing, starts
// nothing and asks no other program: it looks at names and at files.
//
// In: the name of the system, the environment's folders, and the owner's choice. Out: the
// program to start, or browser.missing with the places that were looked at and what to
// install.
package find
