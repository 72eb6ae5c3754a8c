// Package home knows where a data folder was served last. That lies in a file of the folder, so a copy of the
// folder has it, too: whoever serves the copy first is told, because two copies that both serve go apart, and
// neither can see the other.
package home
