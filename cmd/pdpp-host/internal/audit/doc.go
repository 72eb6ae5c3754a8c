// Package audit has the command that shows what owners changed, and were refused.
package audit
