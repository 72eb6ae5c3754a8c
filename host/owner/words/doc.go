// Package words writes what an owner reads: numbers and times, a word as a shell takes it, and a
// stranger's text without what a terminal would act on.
package words
