//go:build wasip1 && !enumerate

package main

func more(name string, _, _ uint32) int32 { panic("no such call: " + name) }
