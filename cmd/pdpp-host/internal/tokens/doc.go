// Package tokens has the commands of tokens: a program's right to speak for the owner. Each
// parses what was typed, calls an operation of host/owner/access, and shows the result.
package tokens
