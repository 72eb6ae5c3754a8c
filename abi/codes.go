package abi

// The stable error codes. The part before the dot is the area.
const (
	CodeInternal Code = "internal.error"
	CodeDoctor   Code = "doctor.problems" // doctor found something to put right (exit 1)

	// Use and configuration (exit 2).
	CodeUsage             Code = "usage.invalid"
	CodeConfigUnknownKey  Code = "config.unknown_key"
	CodeConfigInvalid     Code = "config.invalid"
	CodeConfigUnreadable  Code = "config.unreadable"
	CodeConnectionUnknown Code = "connection.unknown"
	CodeConnectionInvalid Code = "connection.invalid"
	CodeOriginChanged     Code = "connection.origin_changed" // base_url differs from the address asked before
	CodeRunUnknown        Code = "run.unknown"
	CodeRecordUnknown     Code = "record.unknown"
	CodeStreamUnknown     Code = "stream.unknown"

	// Refused before it ran (exit 3).
	CodePluginUnknown        Code = "plugin.unknown"
	CodePluginUnreadable     Code = "plugin.unreadable"
	CodePluginNotRegular     Code = "plugin.not_regular"     // a link, a device, a folder
	CodePluginTooLarge       Code = "plugin.too_large"       // above limits.module_size
	CodePluginEmpty          Code = "plugin.empty"           // 0 bytes
	CodePluginInvalid        Code = "plugin.invalid"         // not a WebAssembly module
	CodePluginImportRefused  Code = "plugin.import_refused"  // an import outside the table
	CodePluginExportMissing  Code = "plugin.export_missing"  //
	CodePluginABIVersion     Code = "plugin.abi_version"     //
	CodePluginMemoryMinimum  Code = "plugin.memory_minimum"  // declares more initial memory than limits.memory
	CodePluginDescribeFailed Code = "plugin.describe_failed" // trapped, timed out, or returned no manifest
	CodePluginChanged        Code = "plugin.changed"         // the file's hash differs from the pinned one
	CodePluginNotAccepted    Code = "plugin.not_accepted"    // the owner has not accepted it yet
	CodePluginsDirWritable   Code = "plugin.dir_writable"    // others can write to the folder
	CodePluginUnsafe         Code = "plugin.unsafe"          // the file belongs to another user, or everybody can write to it
	CodeManifestInvalid      Code = "manifest.invalid"
	CodeBindingMissing       Code = "binding.missing" // RT-06
	CodeRootMissing          Code = "files.root_missing"
	CodeRootChanged          Code = "files.root_changed" // not the folder that the connection read before
	CodeRootEmptied          Code = "files.root_emptied" // the root held files before, and is empty now
	CodeRootInvalid          Code = "files.root_invalid"
	CodeRootSecret           Code = "files.root_secret"   //nolint:gosec // no credential: it holds other programs' secrets, which the owner has not accepted by name
	CodeConnectionBusy       Code = "run.connection_busy" // another run holds the lease
	CodeCoolingDown          Code = "run.cooling_down"    // source pressure delays the run

	// Protocol violations (the run fails with connector_protocol_violation).
	CodeCallTooLarge       Code = "boundary.too_large"
	CodeCallOutOfBounds    Code = "boundary.out_of_bounds" // pointer or length outside the guest's memory
	CodeCallOutOfPhase     Code = "boundary.out_of_phase"
	CodeSyntax             Code = "boundary.syntax"
	CodeDuplicateName      Code = "boundary.duplicate_name"
	CodeInvalidUTF8        Code = "boundary.invalid_utf8"
	CodeNesting            Code = "boundary.nesting"
	CodeEnvelope           Code = "boundary.envelope"
	CodeMessageType        Code = "boundary.message_type"
	CodeStreamOutOfScope   Code = "boundary.stream_out_of_scope"
	CodeKeyInvalid         Code = "boundary.key_invalid"
	CodeKeyMismatch        Code = "boundary.key_mismatch"
	CodeKeyOutsideResource Code = "boundary.key_outside_resources" // RT-05
	CodeOutsideTimeRange   Code = "boundary.outside_time_range"
	CodeFieldOutOfScope    Code = "boundary.field_out_of_scope"
	CodeDeleteOnAppendOnly Code = "boundary.delete_on_append_only" // RT-07.2
	CodeSchemaMismatch     Code = "boundary.schema_mismatch"       // rejects the record, not the run
	CodeSchemaTooCostly    Code = "boundary.schema_too_costly"     // the schema multiplies work without bound
	CodeCoverageInvalid    Code = "boundary.coverage_invalid"      // RT-12
	CodeEnumerationInvalid Code = "boundary.enumeration_invalid"
	CodeGapInvalid         Code = "boundary.gap_invalid"
	CodeAfterDone          Code = "boundary.after_done"
	CodeCountMismatch      Code = "boundary.count_mismatch"
	CodeInteractionPending Code = "boundary.interaction_pending"
	CodeInteractionInvalid Code = "boundary.interaction_invalid"
	CodeOperationUnknown   Code = "boundary.operation_unknown"
	CodeBindingNotGranted  Code = "boundary.binding_not_granted"
	CodeTooManyInFlight    Code = "boundary.too_many_in_flight"
	CodeStartTwice         Code = "boundary.start_twice"
	CodeHandleUnknown      Code = "boundary.handle_unknown"
	CodeTooManyMessages    Code = "boundary.too_many_messages"

	// Limits overrun (the run fails; the guest is killed).
	CodeLimitTime   Code = "limit.time"
	CodeLimitMemory Code = "limit.memory"
	CodeLimitLog    Code = "limit.log"
	CodeLimitOutput Code = "limit.output"

	// Ways in which a guest ends without DONE.
	CodeGuestTrap     Code = "guest.trap"
	CodeGuestExit     Code = "guest.exit"
	CodeWorkerLost    Code = "worker.lost"
	CodeWorkerStart   Code = "worker.start_failed"
	CodeWorkerBadData Code = "worker.bad_frame"

	// Outputs that the host cannot write.
	CodeExportFailed     Code = "export.write_failed" // the file or pipe of an export takes no more
	CodeCacheUnavailable Code = "cache.unavailable"   // the folder of compiled modules

	CodeNothingJudged Code = "run.nothing_collected" // `plugin test --require-records` saw no record

	// Storage.
	CodeStoreUnavailable Code = "storage.unavailable"
	CodeStoreUnsafe      Code = "storage.unsafe" // the store belongs to another user, or everybody can write to it
	CodeStoreLocked      Code = "storage.locked"
	CodeStoreFull        Code = "storage.full"
	CodeStoreNewer       Code = "storage.newer_version"
	CodeStoreCorrupt     Code = "storage.corrupt"
	CodeStoreMigration   Code = "storage.migration"
	CodeStoreText        Code = "storage.text"   // a text with a NUL character, or that is not UTF-8
	CodeFenced           Code = "storage.fenced" // a newer run took the connection's lease

	// Asking the owner.
	CodeOwnerNeeded Code = "interact.owner_needed" // exit 6
	CodeInterrupted Code = "run.interrupted"       // exit 130

	CodeBudgetReached Code = "run.budget_reached" // a planned stop between two units of work
)
