// Package questions has the commands of the questions that running connectors ask: list
// them, read one, answer it, decline it.
package questions
