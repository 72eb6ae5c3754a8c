// Package archive reads a zip or a tar.gz in place: entry by entry, as a stream, in memory
// that does not grow with the archive.
//
// Here: Reader, which Open makes of a file in a granted folder, whichever of the two
// formats its first bytes show, and OpenFiles of files that lie there unpacked; Limits; and the
// codes by which a damaged or hostile archive is told. Not here: the contents of an entry (packages csv, jsonstream and mbox read
// them), writing, and unpacking to files, which a guest cannot do.
//
//	a, err := archive.Open(root, "export.zip", archive.Limits{})
//	…
//	defer a.Close()
//	for a.Next() {
//		if e := a.Entry(); e.Problem == nil && e.Name == "data/notes.json" {
//			… // a is an io.Reader of the entry
//		}
//	}
//	return a.Err()
//
// In: a file that can be read at any place. Out: entries in the order of the archive's
// directory, each with its name and what it unpacks to. An entry that is not read is not
// unpacked in a zip, so an archive of 50 GB whose photos nobody asks for costs its directory.
//
// Every byte is untrusted. Nothing is believed that the archive's own size does not
// justify: entries that overlap, an entry that unpacks to more than it says or to far more
// than it takes, a name that leads out of the archive or comes twice, and an archive within
// the archive are Problems of the entry, or end the walk when the whole archive is in doubt.
// A zip's checksum is compared when an entry was read to its end.
//
// A zip whose directory is missing, because its end was cut, or is damaged is read on by the header
// before each entry (salvage.go): what closes is whole, and Err says at its end what was wrong.
//
// Several zips in one file, as where its parts were joined, are read one after the other, the last one
// first (joined.go).
//
// A gzip may have several members, and a file several tars: a damaged one costs itself (members.go, tar.go).
//
// The standard library unpacks deflate, gzip and tar. The directory of a zip is read here,
// because archive/zip keeps all of it in memory, which a million entries exceed. Only
// features that TinyGo compiles are used.
package archive
