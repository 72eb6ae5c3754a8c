// Package words makes words of text for a search: it folds and splits text (split.go), reads
// what somebody searches for (query.go), and finds where a text has it (find.go).
//
// It is pure, and both databases are given the same words, so that they find the same.
package words
