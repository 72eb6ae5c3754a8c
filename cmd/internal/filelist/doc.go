// Package filelist is the command that lists the files which a connection or a lane did not read,
// and takes its owner's word that some are not for it: its flags, and what it prints (AC-03).
//
// It knows no store: host/leftover has the list and the change.
package filelist
