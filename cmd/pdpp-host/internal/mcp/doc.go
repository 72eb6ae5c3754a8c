// Package mcp has the command with which a model on this machine reads what a grant shows.
package mcp
