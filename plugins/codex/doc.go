// Command codex collects what the Codex command line tool keeps in its home
// folder (~/.codex, the root "codex").
//
// In: rollouts (sessions/YYYY/MM/DD/rollout-*.jsonl and archived_sessions), the
// table threads of state_5.sqlite, rules, prompts and skills. Out: sessions,
// messages, function_calls, rules, prompts, skills; five streams that list what
// exists without its content; and coverage_diagnostics, which accounts for every
// store of the folder that is known, and counts the others. auth.json holds
// credentials: it is never opened.
//
// A rollout is a log of JSON lines that one session appends to. It is read from
// where the last run stopped (cursor.go): the cursor holds the offset behind the
// last complete line, hashes of the first 64 KiB and of the end of what was
// read, and the counts so far, which the next run adds to. A rollout whose
// beginning or end is not what was read is read anew; ids are made of session
// and line number, so the same line is the same record.
//
// A rollout that is being written is read up to its last line feed, and the rest
// by the next run: what is still growing is not missing. A call that has no output
// by then is emitted without one, since records of calls are never changed, and the
// output follows as a record of its own, SESSION:LINE:output.
//
// Nothing here deletes sessions: a rollout that Codex, or its owner, removes to
// save room is no statement about the record. Rules, prompts, skills and the
// inventories are lists of what is there now, so what vanishes becomes a
// tombstone.
package main
