package main

import (
	"os/exec"
	"testing"
)

// BenchmarkVersion is what starting the program costs; version has to answer within
// 30 ms (docs/performance.md).
func BenchmarkVersion(b *testing.B) {
	program, err := exec.LookPath("pdpp-host")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := exec.Command(program, "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
