//go:build !cgo

package plugin

const cgoBuild = false
