package boundary

import "github.com/pdpp-host/pdpp-host/abi"

// Done reads the DONE. It allows no other member in it or in its error, and no error
// on success. host/run checks the count.
func (g *Gate) Done(p []byte) (*abi.Done, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeEnvelope, abi.TypeDone)
	if err != nil {
		return nil, err
	}
	d := &abi.Done{Type: m.typ}
	err = m.read(true,
		field{"status", true, m.oneOf(&d.Status, abi.DoneSucceeded, abi.DoneFailed, abi.DoneCancelled)},
		field{"records_emitted", true, m.count(&d.RecordsEmitted)},
		field{"error", false, func(i int) string {
			d.Error = &abi.DoneError{}
			return m.object(true,
				field{"code", false, m.text(&d.Error.Code)},
				field{"message", true, m.word(&d.Error.Message)},
				field{"retryable", true, m.boolean(&d.Error.Retryable)},
				field{"recovery_hint", false, m.hint(&d.Error.RecoveryHint)})(i)
		}},
	)
	if err == nil && d.Error != nil && d.Status == abi.DoneSucceeded {
		err = violation(m.code, "DONE: error is forbidden on success", "leave the error out, or report failed")
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
