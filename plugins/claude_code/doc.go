// Command claude_code is the connector of Claude Code's home folder (~/.claude).
//
// Here: the choice of the files and the records made from each. transcript.go, line.go
// and content.go turn transcripts into messages, attachments and sessions; fate.go decides what
// becomes of each entry of the projects folder, origin.go who wrote a message, linetypes.go
// counts the lines of no stream; document.go
// turns Markdown files into notes, skills and commands; inventory.go lists the files
// that are not read; coverage.go accounts for every store. cursor.go contains the state
// that each run keeps for the next. Not here: reading files that grow (sdk/filecursor),
// JSON (sdk/jsonraw), messages to the host (sdk).
//
// In: the folder granted as claude_code, and optionally one granted as projects instead
// of its projects folder. Out: the streams of manifest.json.
//
// # Records of deleted files
//
// Claude Code deletes transcripts when they are about 30 days old. The records of a
// deleted transcript stay in sessions, messages and attachments: the copy belongs to
// the owner, and a clean-up is no statement about the conversation. Notes, skills,
// commands and inventories describe the present folder, so the record of a vanished one
// is deleted, provided that its folder could be listed. The host weighs how many are gone,
// and may ask the owner first.
//
// Credentials (.credentials.json, auth.json) are never opened, and no record shows
// whether they exist.
package main
