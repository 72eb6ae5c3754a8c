package words

import "strconv"

// The page of the files that a connection did not understand.
const (
	FilesTitle     = "Files that were not read, or not to the end"
	FilesLede      = "The last run did not understand these files, or found them damaged, or could not read them. If one of them holds data of yours, put a whole copy in its place, or wait for a newer connector. If it may stay as it is, say so, and it is not counted any more until the file changes. What was collected from it stays."
	NoUnread       = "Every file was read, or is left alone on purpose."
	FileColumn     = "File"
	KindColumn     = "Looks like"
	IgnoreFile     = "Ignore"
	IgnorePattern  = "Ignore files by name or folder"
	IgnoreHint     = "A name such as *.bak, a path below the folder, or a folder with a slash at its end."
	IgnoreThem     = "Ignore them"
	IgnoredHeading = "Left alone"
	IgnoredByYou   = "as you said, now and later; what the connector reads of it is collected all the same"
	IgnoredAsItWas = "as you said, until it changes"
	HeedAgain      = "Count again"
)

// MoreFiles says how many files are not listed.
func MoreFiles(n int64) string {
	if n == 1 {
		return "And 1 more. The next run counts it anew, whatever is ignored by then."
	}
	return "And " + strconv.FormatInt(n, 10) + " more. The next run counts them anew, whatever is ignored by then."
}
