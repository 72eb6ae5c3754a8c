// Package books counts what a guest was given in its folders and what it read, without the
// guest's help (AC-01), and finds what nothing explains (AC-02).
//
// Here: what the guest's file system saw (books.go), what its ACCOUNT messages claim
// (claim.go), which files are in the folders at the end and what became of each (walk.go),
// sets of files in bounded memory (set.go, few.go), what is damaged or not read (amiss.go), and
// what an unread file seems to be (kind.go). Not here: reading for the guest (package rootfs).
//
// In: events of a guest's file system, ACCOUNT messages, the folders. Out: one Report a run.
package books
