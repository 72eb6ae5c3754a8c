// Package house holds the project to its own rules: which room may import
// which, what every package and file must look like, that every stream of a
// first-party connector is validated (RT-10), and that docs/requirements.md and
// docs/invariants.md say of the code and its tests what is true.
//
// What lives here: the build check of RT-10 as a function, and tests that read
// the source tree, the manifests and the two documents. What does not: tests of
// behaviour, which live beside what they test. Nothing imports this package.
package house
