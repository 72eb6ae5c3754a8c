// Package doctor has the command that checks the whole installation. It shows what
// host/owner/doctor found, and words how each connection is as `status` does.
package doctor
