// Package folder has folders for tests whose processes may write when the test is over. A
// process that was killed ends in its own time, and those of a browser are many: testing's
// TempDir fails where one makes a file while the folder is being removed.
package folder
