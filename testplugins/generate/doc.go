// Command generate writes a realistic home folder of any size for a first-party
// connector to collect: `generate -kind claude_code -bytes 500MB -seed 1 -out
// DIR`. The same seed writes the same bytes. The text is made in
// testplugins/generate/corpus; this package only reads the flags.
package main
