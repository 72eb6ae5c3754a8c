package browser

import (
	"github.com/go-rod/rod/lib/proto"
	"github.com/ysmood/gson"
)

// MayNotify lets the pages of the visitor's home show notifications, as somebody does who is
// asked.
func (v *Visitor) MayNotify() {
	v.t.Helper()
	err := proto.BrowserGrantPermissions{
		Permissions: []proto.BrowserPermissionType{proto.BrowserPermissionTypeNotifications}, Origin: v.home, BrowserContextID: v.drive.BrowserContextID,
	}.Call(v.drive)
	if err != nil {
		v.t.Fatal(err)
	}
}

// Push gives a message to the page's service worker, as the browser does that a push service
// has sent it to.
func (p *Page) Push(message string) {
	p.t.Helper()
	// The browser names the workers when the domain is turned on, to a page that listens already.
	listening := p.p.Timeout(Patience)
	defer listening.CancelTimeout()
	events := listening.Event()
	p.must(proto.ServiceWorkerEnable{}.Call(p.p))
	var at proto.ServiceWorkerRegistrationID
	for at == "" {
		m, more := <-events
		if !more {
			p.t.Fatal("got no service worker of the page's home, want one")
		}
		var e proto.ServiceWorkerWorkerRegistrationUpdated
		if !m.Load(&e) {
			continue
		}
		for _, r := range e.Registrations {
			if !r.IsDeleted {
				at = r.RegistrationID
			}
		}
	}
	p.must(proto.ServiceWorkerDeliverPushMessage{Origin: p.v.home, RegistrationID: at, Data: message}.Call(p.p))
}

// InWorker runs an expression in the service worker of the visitor's home.
func (v *Visitor) InWorker(expression string) gson.JSON {
	v.t.Helper()
	all, err := proto.TargetGetTargets{}.Call(v.drive)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, target := range all.TargetInfos {
		if target.Type != proto.TargetTargetInfoTypeServiceWorker || target.BrowserContextID != v.drive.BrowserContextID {
			continue
		}
		attached, err := proto.TargetAttachToTarget{TargetID: target.TargetID, Flatten: true}.Call(v.drive)
		if err != nil {
			v.t.Fatal(err)
		}
		value, err := (&Page{t: v.t, v: v, p: v.drive.PageFromSession(attached.SessionID)}).evaluate(expression)
		if err != nil {
			v.t.Fatal(err)
		}
		return value
	}
	v.t.Fatal("no service worker runs")
	return gson.JSON{}
}
