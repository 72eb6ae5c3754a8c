package verdict

import "strings"

// Code names a sentence. Codes are stable; texts may be reworded.
type Code string

// claim is an assertion of a sentence. The gate judges sentences by their claims and
// never by their text, since a stream may be called "retry".
type claim uint

const (
	claimsRecovery claim = 1 << iota // the system fetches missing data: resumes, retries, refreshes
	claimsCurrent                    // the data is current, or collection is normal
	namesOwnerStep                   // the effect of an action by the owner
	namesCodeFix                     // the connector's code needs a fix
	countsThings                     // a number of records
)

// line is a row of the table of sentences.
type line int

// The lines.
const (
	lastSuccessfulRefresh line = iota
	staleSince
	staleUnknownAge
	staleManual
	staleManualUnknownAge
	staleScheduled
	staleScheduledUnknownAge
	freshnessUnknown
	nothingCollected

	forwardTerminalReauth
	forwardTerminalSignIn
	forwardTerminalAnswer
	forwardCodeFix
	forwardFlawed
	forwardHostFix
	forwardOutOfReach
	forwardReauth
	forwardSignIn
	forwardRenewedRefused
	forwardAddInfo
	forwardPutRight
	forwardFolder
	forwardFolderSaid
	forwardModule
	forwardAccept
	forwardAddress
	forwardOption
	forwardBinding
	forwardBrowser
	forwardSignInAgain
	forwardVault
	forwardGap
	forwardGapFiles
	forwardGapSaid
	forwardUnexplained
	forwardNotWhole
	forwardStays
	forwardDelivery
	forwardEnroll
	forwardRefreshNow
	forwardRunCollector
	forwardRetryGap
	forwardBackfill
	forwardReattach
	forwardChecking
	forwardNothingFound
	forwardNothingRead
	forwardNothingReadOf
	forwardNotRun
	forwardResumable
	forwardResumableFrom
	forwardRefreshDue
	forwardAwaitingOwner
	forwardFreshnessUnknown
	forwardUnconfirmed
	forwardUploading
	forwardHeld
	forwardName
	forwardRefused
	forwardUnreachable
	forwardTLS
	forwardNoAnswer
	forwardFails
	forwardDisk
	forwardCrashed
	forwardKilled
	forwardCut
	forwardStale
	forwardIdle
	forwardComplete
	forwardWithheld

	rowComplete
	rowGone
	rowAbsent
	rowPartial
	rowTerminal
	rowFlawed

	ctaReauth
	ctaSignIn
	ctaRenewedRefused
	ctaAddInfo
	ctaPutRight
	ctaFolder
	ctaModule
	ctaAccept
	ctaAddress
	ctaOption
	ctaBinding
	ctaBrowser
	ctaSignInAgain
	ctaVault
	ctaGap
	ctaUnexplained
	ctaNotWhole
	ctaStays
	ctaDelivery
	ctaEnroll
	ctaFlawed
	ctaRefreshNow
	ctaRunCollector
	ctaRetryGap
	ctaBackfill
	ctaReattach
	ctaWait
	ctaWaitHeld
	ctaRunAgain
	ctaWaitTries
	ctaNetwork
	ctaService
	ctaTLS
	ctaDisk
	ctaCrashed
	ctaKilled
	ctaCut
	ctaStateRead
	ctaUploads
	ctaStalePending
	ctaStalled
	labelRun
	labelUploads
	labelCheck
	summaryStateRead
	summaryUploads
	summaryStalePending
	summaryStalled

	progressUnknown
	progressCommitted
	progressKept
	progressDrained
	progressManual
	lineCount
)

// sentences holds every sentence of a verdict once. A % is replaced by a number or an
// age.
var sentences = [lineCount]struct {
	code   Code
	text   string
	claims claim
}{
	lastSuccessfulRefresh:    {"last_successful_refresh", "Last successful refresh %.", 0},
	staleSince:               {"stale_since", "Last refreshed %.", 0},
	staleUnknownAge:          {"stale", "The data is older than it should be.", 0},
	staleManual:              {"stale_manual", "Last refreshed %; it refreshes when you run it.", 0},
	staleManualUnknownAge:    {"stale_manual_unknown_age", "The data is older than it should be; it refreshes when you run it.", 0},
	staleScheduled:           {"stale_scheduled", "Last refreshed %; it refreshes on its schedule.", claimsRecovery},
	staleScheduledUnknownAge: {"stale_scheduled_unknown_age", "The data is older than it should be; it refreshes on its schedule.", claimsRecovery},
	freshnessUnknown:         {"freshness_unknown", "It is not known yet how recent the data is.", 0},
	nothingCollected:         {"nothing_collected", "Nothing was collected yet.", 0},

	forwardTerminalReauth:   {"terminal_reauth", "Sign in again before anything more can be collected.", namesOwnerStep},
	forwardTerminalSignIn:   {"terminal_sign_in", "Sign in before anything more can be collected.", namesOwnerStep},
	forwardTerminalAnswer:   {"terminal_answer", "Answering lets the connector collect what it can; the rest needs a fix of the connector's code.", namesOwnerStep | namesCodeFix},
	forwardCodeFix:          {"code_fix", "Connector code needs a fix before the source can collect again.", namesCodeFix},
	forwardFlawed:           {"connector_flaw", "Not everything comes in whole: the connector's code needs a fix for what is missing.", namesCodeFix},
	forwardHostFix:          {"host_fix", "Something on this host or in the connector has to be put right before the source can collect; the details name it.", 0},
	forwardOutOfReach:       {"out_of_reach", "The missing data is out of this connector's reach.", 0},
	forwardReauth:           {"reauth", "Signing in again lets the connector collect.", namesOwnerStep},
	forwardSignIn:           {"sign_in", "Signing in lets the connector collect.", namesOwnerStep},
	forwardRenewedRefused:   {"renewed_refused", "The service refused a sign-in that it had just renewed, so signing in again may not help; the reason may be the account, or the application that signs in.", namesOwnerStep},
	forwardAddInfo:          {"add_info", "Answering lets the connector go on.", namesOwnerStep},
	forwardPutRight:         {"put_right", "Putting it right lets the connector collect again.", namesOwnerStep},
	forwardFolder:           {"put_right_folder", "A folder that it reads is missing, empty, shut to this host's user, or not the one of before; putting it right lets the connector collect again.", namesOwnerStep},
	forwardFolderSaid:       {"put_right_folder_said", "No run can begin: %. Putting it right lets the connector collect again.", namesOwnerStep},
	forwardModule:           {"put_right_module", "Its module is missing, or is not the accepted one; putting it right lets the connector collect again.", namesOwnerStep},
	forwardAccept:           {"put_right_acceptance", "Nobody has accepted its module yet; once you have, the connector can collect.", namesOwnerStep},
	forwardAddress:          {"put_right_address", "The address that it is to ask is not allowed; putting it right lets the connector collect again.", namesOwnerStep},
	forwardOption:           {"put_right_option", "One of its settings is not valid; putting it right lets the connector collect again.", namesOwnerStep},
	forwardBinding:          {"put_right_binding", "The connector needs something that this host does not give; putting it right lets the connector collect again.", namesOwnerStep},
	forwardBrowser:          {"put_right_browser", "The connector needs a browser, and this host has none that it may use; once it has, a run of yours collects again.", namesOwnerStep},
	forwardSignInAgain:      {"put_right_sign_in", "The site was sent your password and has not let the connector in; it is not sent again until you run it yourself.", namesOwnerStep},
	forwardVault:            {"put_right_vault", "The key that opens its stored credentials is missing, or is another one; once the key is back, or they are stored again, a run collects again.", namesOwnerStep},
	forwardGap:              {"put_right_gap", "Something is missing that needs you, and the details say what; once you have put it right, a run collects it.", namesOwnerStep},
	forwardGapFiles:         {"put_right_files", "Not read whole, in its folder: %; once you have put it right, a run collects it.", namesOwnerStep},
	forwardGapSaid:          {"put_right_said", "Not collected, in the connector's words: %.", namesOwnerStep},
	forwardUnexplained:      {"not_understood", "Not understood in its folder: %.", namesOwnerStep},
	forwardNotWhole:         {"not_whole", "Damaged, or recognized but not read, in its folder: %.", namesOwnerStep},
	forwardStays:            {"came_back_unchanged", "Two runs in a row met the same obstacle, so running it again is unlikely to help by itself; the list of what is missing has the answer of the source or the connector.", namesOwnerStep},
	forwardDelivery:         {"delivery_refused", "This host refuses what the device delivers: %.", namesOwnerStep},
	forwardEnroll:           {"enroll_device", "No device delivers to it any more, so nothing new comes in; what came in is kept, and enrolling a device again goes on with it.", namesOwnerStep},
	forwardRefreshNow:       {"refresh_now", "Running it now brings the data up to date.", namesOwnerStep},
	forwardRunCollector:     {"run_collector", "Running the collector on the host that holds the data brings it up to date.", namesOwnerStep},
	forwardRetryGap:         {"retry_gap", "Running it now fetches what is missing.", namesOwnerStep},
	forwardBackfill:         {"backfill", "Running it now fills in the older data.", namesOwnerStep},
	forwardReattach:         {"reattach_schedule", "Turning the schedule on again keeps the data up to date.", namesOwnerStep},
	forwardChecking:         {"checking", "It is not known yet how complete the collection is; a run that collects all of it shows that.", 0},
	forwardNothingFound:     {"nothing_found", "The last run found nothing to collect where it looks; it may be the wrong folder.", 0},
	forwardNothingRead:      {"nothing_read", "Nothing that this connector reads was found in its folder; the details say what is there.", 0},
	forwardNothingReadOf:    {"nothing_read_files", "Nothing that this connector reads was found in its folder. Not read: %.", namesOwnerStep},
	forwardNotRun:           {"not_run_yet", "It has not run yet; its first run shows what there is.", 0},
	forwardResumable:        {"resumable", "A later run fetches what is missing.", claimsRecovery},
	forwardResumableFrom:    {"resumable_from", "A later run fetches what is missing, from % on.", claimsRecovery},
	forwardRefreshDue:       {"owner_refresh_due", "The data is up to date again once the connector has been run.", claimsRecovery},
	forwardAwaitingOwner:    {"awaiting_owner", "It waits for the owner.", 0},
	forwardFreshnessUnknown: {"complete_freshness_unknown", "Nothing is known to be missing; it is not known yet how recent the data is.", 0},
	forwardUnconfirmed:      {"complete_unconfirmed", "A run has yet to show that the new credentials are accepted.", 0},
	forwardUploading:        {"uploading", "Saved records are uploading.", 0},
	forwardHeld:             {"complete_held", "What was collected is kept; a fault of the host, or what the details name, holds back the rest.", 0},
	forwardName:             {"cause_name_unresolved", "The name % did not resolve; once it does, a run collects again.", 0},
	forwardRefused:          {"cause_connection_refused", "% refused the connection; once it takes one, a run collects again.", 0},
	forwardUnreachable:      {"cause_host_unreachable", "There was no way to %; once there is one, a run collects again.", 0},
	forwardTLS:              {"cause_tls_failed", "No secure connection to % came about; once one does, a run collects again.", 0},
	forwardNoAnswer:         {"cause_no_answer", "% did not answer; once it does, a run collects again.", 0},
	forwardFails:            {"cause_service_fails", "% answered with errors; once it is well, a run collects again.", 0},
	forwardDisk:             {"cause_disk_full", "The disk that holds the data was full; once it has room, a run collects again.", 0},
	forwardCrashed:          {"cause_connector_crashed", "The connector crashed; another run may get through, or crash again.", 0},
	forwardKilled:           {"cause_worker_killed", "The process that ran the connector was killed; another run may get through, or meet the same end.", 0},
	forwardCut:              {"cause_host_stopped", "The run was cut off when its host stopped; a run goes on from what it saved.", 0},
	forwardStale:            {"complete_stale", "Nothing was missing when it was last collected.", 0},
	forwardIdle:             {"complete_idle", "Nothing is known to be missing.", 0},
	forwardComplete:         {"complete", "The data is current, and collection works.", claimsCurrent},
	forwardWithheld:         {"withheld", "What is known of this connection contradicts itself; the details say how.", 0},

	rowComplete: {"collected", "Collected.", 0},
	rowGone:     {"collected_but_gone", "Collected, except for what is gone or forbidden at the provider.", 0},
	rowAbsent:   {"declared_absent", "Not collected in full, as the connector declares.", 0},
	rowPartial:  {"not_in_full", "Not collected in full last time; what was collected before is kept.", 0},
	rowTerminal: {"terminal", "Cannot be collected until the connector's code is fixed.", namesCodeFix},
	rowFlawed:   {"flawed", "Not whole: the connector's code needs a fix for what is missing.", namesCodeFix},

	ctaReauth:           {"cta_reauth", "Sign in again", namesOwnerStep},
	ctaSignIn:           {"cta_sign_in", "Sign in", namesOwnerStep},
	ctaRenewedRefused:   {"cta_renewed_refused", "See at the service whether the account and the application may still be used, then sign in again", namesOwnerStep},
	ctaAddInfo:          {"cta_add_info", "Answer the connector's request", namesOwnerStep},
	ctaPutRight:         {"cta_put_right", "Put right what it waits for", namesOwnerStep},
	ctaFolder:           {"cta_put_right_folder", "Put right the folder that it reads", namesOwnerStep},
	ctaModule:           {"cta_put_right_module", "Put right or accept its module", namesOwnerStep},
	ctaAccept:           {"cta_put_right_acceptance", "See what its module asks for and accept it", namesOwnerStep},
	ctaAddress:          {"cta_put_right_address", "Put right the address that it asks", namesOwnerStep},
	ctaOption:           {"cta_put_right_option", "Put right its settings", namesOwnerStep},
	ctaBinding:          {"cta_put_right_binding", "Give it what it needs of this host", namesOwnerStep},
	ctaBrowser:          {"cta_put_right_browser", "Set up a browser on this host", namesOwnerStep},
	ctaSignInAgain:      {"cta_put_right_sign_in", "See at the site whether you can sign in, then run it", namesOwnerStep},
	ctaVault:            {"cta_put_right_vault", "Put back the key of its stored credentials, or store them again, then run it", namesOwnerStep},
	ctaGap:              {"cta_put_right_gap", "Put right what the run could not collect", namesOwnerStep},
	ctaUnexplained:      {"cta_not_understood", "See which files were not understood, and say what to do", namesOwnerStep},
	ctaNotWhole:         {"cta_not_whole", "See which files are damaged or were not read, and say what to do", namesOwnerStep},
	ctaStays:            {"cta_came_back_unchanged", "See what two runs could not collect, and what mends it", namesOwnerStep},
	ctaDelivery:         {"cta_delivery_refused", "Put right what this host refuses of the device", namesOwnerStep},
	ctaEnroll:           {"cta_enroll_device", "Enrol a device again", namesOwnerStep},
	ctaFlawed:           {"cta_connector_flaw", "A new version of the connector has to mend what is missing", namesCodeFix},
	ctaRefreshNow:       {"cta_refresh_now", "Refresh now", namesOwnerStep},
	ctaRunCollector:     {"cta_run_collector", "Run the collector on the host that holds the data", namesOwnerStep},
	ctaRetryGap:         {"cta_retry_gap", "Fetch what is missing", namesOwnerStep},
	ctaBackfill:         {"cta_backfill", "Fill in the older data", namesOwnerStep},
	ctaReattach:         {"cta_reattach_schedule", "Turn the schedule on again", namesOwnerStep},
	ctaWait:             {"cta_wait", "The rest comes without your doing", claimsRecovery},
	ctaWaitHeld:         {"cta_wait_held", "The rest waits until what runs it works again", 0},
	ctaRunAgain:         {"cta_run_again", "Nothing runs it by itself: run it again once the wait is over", namesOwnerStep},
	ctaWaitTries:        {"cta_wait_tries", "A later run tries it", claimsRecovery},
	ctaNetwork:          {"cta_check_network", "Check the network, and base_url where it is set, then run it again", namesOwnerStep},
	ctaService:          {"cta_check_service", "Check that the service is up, and base_url where it is set, then run it again", namesOwnerStep},
	ctaTLS:              {"cta_check_tls", "Check the network and the clock of this machine, then run it again", namesOwnerStep},
	ctaDisk:             {"cta_free_disk", "Free space on the disk that holds the data, then run it again", namesOwnerStep},
	ctaCrashed:          {"cta_read_crash", "Read how it crashed, then run it again, or update the connector", namesOwnerStep},
	ctaKilled:           {"cta_check_memory", "Check the memory of this machine, then run it again", namesOwnerStep},
	ctaCut:              {"cta_go_on", "Run it again", namesOwnerStep},
	ctaStateRead:        {"cta_state_read_failed", "Re-run the collector on the host that holds the data", namesOwnerStep},
	ctaUploads:          {"cta_dead_letter_backlog", "Records saved on the collector's host did not upload to the server: see there why, then send them again", namesOwnerStep},
	ctaStalePending:     {"cta_stale_pending", "Queued work stopped moving: re-run the collector on its host", namesOwnerStep},
	ctaStalled:          {"cta_stalled_unknown", "Check the collector on the host that holds the data", namesOwnerStep},
	labelRun:            {"label_run", "Re-run the collector", namesOwnerStep},
	labelUploads:        {"label_uploads", "Send the saved records", namesOwnerStep},
	labelCheck:          {"label_check", "Check the collector", namesOwnerStep},
	summaryStateRead:    {"state_read_failed", "The collector could not read what it had done before; re-running it on the host that holds the data clears that.", namesOwnerStep},
	summaryUploads:      {"dead_letter_backlog", "Records saved on the collector's host did not upload to the server; the collector's doctor there says why, and what helps before they are sent again.", namesOwnerStep},
	summaryStalePending: {"stale_pending", "Queued work on the collector's host stopped moving; re-running the collector there gets it going.", namesOwnerStep},
	summaryStalled:      {"stalled_unknown", "The collector has stopped sending; checking it on the host that holds the data shows why.", namesOwnerStep},

	progressUnknown:   {"progress_unknown", "It is not known yet how much was collected.", 0},
	progressCommitted: {"progress_committed", "Records saved by the last run: %.", countsThings},
	progressKept:      {"progress_kept", "Records kept: %.", countsThings},
	progressDrained:   {"progress_drained", "Missing details were filled in. Records kept: %.", countsThings},
	progressManual:    {"progress_manual", "Records kept: %. Last refreshed %.", countsThings},
}

func (l line) code() Code          { return sentences[l].code }
func (l line) text() string        { return sentences[l].text }
func (l line) claims(c claim) bool { return sentences[l].claims&c != 0 }

// fill returns the line's text with its blanks filled in, in order.
func (l line) fill(values ...string) string {
	text := l.text()
	for _, v := range values {
		if v != "" {
			text = strings.Replace(text, "%", v, 1)
		}
	}
	return text
}

// lines maps a code to its sentence.
var lines = func() map[Code]line {
	found := make(map[Code]line, lineCount)
	for l := range lineCount {
		found[l.code()] = l
	}
	return found
}()
