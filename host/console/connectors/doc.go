// Package connectors has the pages of connectors: the list, one connector, what it asks for,
// and how one is installed and removed.
package connectors
