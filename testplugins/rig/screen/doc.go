// Package screen has a screen for tests that open windows: an X server (Xvfb) that shows them to
// nobody.
package screen
