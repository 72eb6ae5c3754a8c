//go:build wasip1

// Command credentialed is a connector that cannot work without credentials,
// written with the SDK. The option "manner" makes it meet their absence badly:
// mute fails without naming them, deaf succeeds all the same, blunt asks without
// naming them, and stubborn asks although nobody can be asked.
package main
