// Command codex collects the data of the Codex command line tool in its home folder
// (~/.codex, the root "codex").
//
// In: rollouts (sessions/YYYY/MM/DD/rollout-*.jsonl and archived_sessions, also compressed as
// .jsonl.zst), the table threads of state_5.sqlite, there or in the folder sqlite (databases.go), rules, prompts and skills. Out: sessions, messages,
// function_calls, rules, prompts, skills; five streams that list files without their
// content; and coverage_diagnostics, which accounts for every known store of the
// folder, and counts the others. auth.json contains credentials: it is never opened.
//
// A rollout is a log of JSON lines that one session appends to. It is read from where
// the last run stopped (cursor.go): the cursor has the offset behind the last complete
// line, hashes of the first 64 KiB and of the end of the part read, and the counts so
// far, to which the next run adds. A rollout whose beginning or end no longer matches
// is read anew; ids consist of session and line number, so the same line is the same
// record. A rollout that Codex compresses, or unpacks again, is the same rollout: offsets
// and hashes are those of its content.
//
// A fork leaves its parent's items to the parent, and a copy those of the other rollout of its session
// (fork.go). Each message says who wrote
// it (origin.go). The file fate.go decides what becomes of each file among the rollouts.
//
// A rollout that is being written is read up to its last line feed, and the rest by the
// next run: lines still to come do not count as missing. A call without an output by
// then is emitted without one, since records of calls are never changed, and the output
// follows as a separate record, SESSION:LINE:output.
//
// Nothing here deletes sessions: when Codex, or its owner, removes a rollout to save
// room, the record stays. Rules, prompts, skills and the inventories list the present
// files, so a vanished one becomes a tombstone, of many when the owner agrees.
package main
