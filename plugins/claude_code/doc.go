// Command claude_code is the connector of Claude Code's home folder (~/.claude).
//
// Here: which files are read and what each becomes. transcript.go, line.go and
// content.go turn transcripts into messages, attachments and sessions;
// document.go turns Markdown files into notes, skills and commands;
// inventory.go lists what is not read; coverage.go accounts for every store.
// What each run keeps for the next is in cursor.go. Not here: reading files that
// grow (sdk/filecursor), JSON (sdk/jsonvalue), messages to the host (sdk).
//
// In: the folder granted as claude_code, and optionally one granted as projects
// instead of its projects folder. Out: the streams of manifest.json.
//
// # What is kept when a file goes
//
// Claude Code deletes transcripts when they are about 30 days old. A sessions,
// messages or attachments record whose file is gone stays: the copy is the
// owner's, and a clean-up is no statement about the conversation. Notes, skills,
// commands and inventories say what is there now, so a vanished one is deleted,
// provided that the folder it was in could be listed.
//
// Credentials (.credentials.json, auth.json) are never opened, and no record
// tells whether they are there.
package main
