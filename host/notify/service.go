package notify

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// post is one request of a service.
type post struct {
	name   string // the service's
	method string // "": POST
	url    *url.URL
	header http.Header
	body   func(title, text string) any // JSON
}

// services read the URL of a service, by its scheme.
var services = map[string]func(u *url.URL) (*post, error){
	"https": webhook, "http": webhook, "ntfy": ntfy, "gotify": gotify, "telegram": telegram, "matrix": matrix, "slack": slack, "discord": discord,
}

const serviceHint = "write one such as ntfy://ntfy.sh/TOPIC, gotify://HOST/TOKEN, telegram://TOKEN@telegram?chats=ID, matrix://:TOKEN@HOST/?room=ROOM, " +
	"slack://A/B/C, discord://TOKEN@ID, or https://… for a webhook that takes JSON"

// parseService reads a service's URL. Its error quotes nothing of it.
func parseService(text string) (*post, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || services[u.Scheme] == nil || u.Host == "" {
		return nil, invalid("no service has such a URL", serviceHint)
	}
	p, err := services[u.Scheme](u)
	if err != nil {
		return nil, err
	}
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set("Content-Type", "application/json")
	p.header.Set("User-Agent", "pdpp-host")
	return p, nil
}

// at is an https address, or http where the owner's URL says scheme=http.
func at(u *url.URL, path ...string) *url.URL {
	scheme := "https"
	if u.Query().Get("scheme") == "http" {
		scheme = "http"
	}
	return (&url.URL{Scheme: scheme, Host: u.Host, Path: "/"}).JoinPath(path...)
}

func webhook(u *url.URL) (*post, error) {
	name := "webhook"
	if u.Hostname() == "hooks.slack.com" {
		name = "slack"
	}
	out := *u
	out.User, out.Fragment = nil, ""
	p := &post{name: name, url: &out, header: http.Header{}, body: func(title, text string) any {
		return map[string]string{"title": title, "message": text, "text": title + "\n" + text}
	}}
	if user := u.User; user != nil {
		password, _ := user.Password()
		p.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	return p, nil
}

// ntfy is ntfy://[USER:PASSWORD@]HOST/TOPIC; with :TOKEN@ an access token.
func ntfy(u *url.URL) (*post, error) {
	topic := strings.Trim(u.Path, "/")
	if topic == "" || strings.Contains(topic, "/") {
		return nil, invalid("it has no topic", serviceHint)
	}
	p := &post{name: "ntfy", url: at(u), header: http.Header{}, body: func(title, text string) any {
		return map[string]string{"topic": topic, "title": title, "message": text}
	}}
	if user := u.User; user != nil {
		password, _ := user.Password()
		if user.Username() == "" {
			p.header.Set("Authorization", "Bearer "+password)
		} else {
			p.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
		}
	}
	return p, nil
}

// gotify is gotify://HOST[/PATH]/TOKEN.
func gotify(u *url.URL) (*post, error) {
	path := strings.Trim(u.Path, "/")
	i := strings.LastIndexByte(path, '/')
	token := path[i+1:]
	if token == "" {
		return nil, invalid("it has no token", serviceHint)
	}
	return &post{name: "gotify", url: at(u, path[:max(i, 0)], "message"), header: http.Header{"X-Gotify-Key": {token}}, body: func(title, text string) any {
		return map[string]any{"title": title, "message": text, "priority": 5}
	}}, nil
}

// telegram is telegram://TOKEN@telegram?chats=ID.
func telegram(u *url.URL) (*post, error) {
	token, chat := u.User.String(), u.Query().Get("chats")
	if token == "" || chat == "" || strings.ContainsAny(token, "/?#") {
		return nil, invalid("it has no token or no chat", serviceHint)
	}
	to := &url.URL{Scheme: "https", Host: "api.telegram.org", Path: "/bot" + token + "/sendMessage"}
	return &post{name: "telegram", url: to, body: func(title, text string) any {
		return map[string]string{"chat_id": chat, "text": title + "\n" + text}
	}}, nil
}

// matrix is matrix://:TOKEN@HOST/?room=ROOM.
func matrix(u *url.URL) (*post, error) {
	token, _ := u.User.Password()
	room := u.Query().Get("room")
	if token == "" || room == "" || strings.Contains(room, "/") {
		return nil, invalid("it has no token or no room", serviceHint)
	}
	to := at(u, "_matrix/client/v3/rooms", room, "send/m.room.message")
	return &post{name: "matrix", method: http.MethodPut, url: to, header: http.Header{"Authorization": {"Bearer " + token}}, body: func(title, text string) any {
		return map[string]string{"msgtype": "m.text", "body": title + "\n" + text}
	}}, nil
}

// slack is slack://A/B/C, of the webhook's path.
func slack(u *url.URL) (*post, error) {
	path := u.Host + u.Path
	if strings.Count(path, "/") != 2 {
		return nil, invalid("it is not of three parts", serviceHint)
	}
	to := &url.URL{Scheme: "https", Host: "hooks.slack.com", Path: "/services/" + path}
	return &post{name: "slack", url: to, body: func(title, text string) any { return map[string]string{"text": title + "\n" + text} }}, nil
}

// discord is discord://TOKEN@ID.
func discord(u *url.URL) (*post, error) {
	token := u.User.String()
	if token == "" || strings.ContainsAny(token, "/?#") || strings.Trim(u.Path, "/") != "" {
		return nil, invalid("it has no token", serviceHint)
	}
	to := &url.URL{Scheme: "https", Host: "discord.com", Path: "/api/webhooks/" + u.Hostname() + "/" + token}
	return &post{name: "discord", url: to, body: func(title, text string) any {
		return map[string]any{"content": title + "\n" + text, "allowed_mentions": map[string]any{"parse": []string{}}}
	}}, nil
}

// sendService sends one notification to a service. id is new for each, so that a service
// that tells repeats apart can do so.
func (s *Sender) sendService(ctx context.Context, address, id, title, text string) error {
	p, err := parseService(address)
	if err != nil {
		return err
	}
	body, err := json.Marshal(p.body(title, text))
	if err != nil {
		return err
	}
	method, to := http.MethodPost, p.url
	if p.method != "" {
		method, to = p.method, p.url.JoinPath(id)
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return invalid("it is no URL", serviceHint)
	}
	req.Header = p.header
	return s.do(req)
}
