// Package handoffs has what an owner can do about the pages that runs of this process have
// handed over (BR-15): list them, read one, open one, look on, act. A page belongs to a
// question, which is answered or declined as any other. Pictures and input pass through
// host/browser/handoff alone, and no event, log or error has any of them.
//
// Opening a page is a change, and so is letting a refused host be reached: both leave an
// audit event. An owner's other acts leave none: they are between the owner and the site.
package handoffs
