// Package house holds the project to its own rules: which room may import
// which, what every package and file must look like, that every stream of a
// first-party connector is validated (RT-10), that docs/requirements.md and
// docs/invariants.md are true of the code and its tests, and that the files, the
// contracts and the headings that a text points to exist.
//
// Here: the build check of RT-10 as a function, and tests that read
// the source tree, the manifests and the documents. Not here: tests of
// behaviour, which are beside the code that they test. Nothing imports this package.
package house
