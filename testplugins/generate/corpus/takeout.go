package corpus

import (
	"encoding/base64"
	"strconv"
	"time"
)

// writeTakeout writes an export of Google with about size bytes in its files: half of them
// mail, a quarter pictures.
func writeTakeout(w *writer, size int64) {
	w.pack("takeout-"+w.now.Format("20060102T150405Z")+"-001.zip", func(p *packer) {
		p.begin("Takeout/archive_browser.html", false)
		p.text("<html><body>Your files</body></html>")
		p.begin("Takeout/Location History (Timeline)/Records.json", false)
		p.list(size*15/100, `{"locations":[`, "]}\n", p.place)
		const youtube = "Takeout/YouTube and YouTube Music/"
		p.begin(youtube+"history/watch-history.json", false)
		p.list(size*5/100, "[", "]\n", p.watched)
		p.begin(youtube+"history/search-history.json", false)
		p.list(size/100, "[", "]\n", func() { p.searched("YouTube", `https://www.youtube.com/results?search_query\u003d`) })
		p.begin(youtube+"subscriptions/subscriptions.csv", false)
		p.text("Channel Id,Channel Url,Channel Title\n")
		for range 10 + size/1_000_000 {
			id := "UC" + p.opaque(22)
			p.stats.Items["youtube_subscriptions"]++
			p.text(id + ",http://www.youtube.com/channel/" + id + ",\"" + p.writer.pick(words) + ", " + p.writer.pick(words) + "\"\n")
		}
		p.begin("Takeout/My Activity/Search/MyActivity.json", false)
		p.list(size*4/100, "[", "]\n", func() { p.searched("Search", `https://www.google.com/search?q\u003d`) })
		p.photos(size / 4)
		p.begin("Takeout/Mail/All mail Including Spam and Trash.mbox", false)
		for end := p.stats.Bytes + size/2; p.stats.Bytes < end && p.err == nil; {
			p.mail()
		}
	})
}

func (p *packer) place() {
	p.stats.Items["location_history"]++
	digits := func(n int) string { return strconv.Itoa(n + p.rand.IntN(10_000_000)) }
	p.line = append(p.line, `{"latitudeE7":`+digits(520_000_000)+`,"longitudeE7":`+digits(130_000_000)+`,"accuracy":`+strconv.Itoa(3+p.rand.IntN(60))+
		`,"activity":[{"activity":[{"type":"`+p.writer.pick([]string{"STILL", "WALKING", "IN_VEHICLE", "ON_BICYCLE"})+`","confidence":81},{"type":"UNKNOWN","confidence":9}],"timestamp":"`+
		p.stamp()+`"}],"source":"WIFI","deviceTag":-577680260,"timestamp":"`+p.stamp()+`"}`...)
}

func (p *packer) watched() {
	p.stats.Items["youtube_watch_history"]++
	p.line = append(p.line, `{"header":"YouTube","title":`...)
	p.line = quote(p.line, append([]byte("Watched "), p.sentence(nil, 40)...))
	p.line = append(p.line, `,"titleUrl":"https://www.youtube.com/watch?v\u003d`+p.opaque(11)+`","subtitles":[{"name":"`+p.writer.pick(words)+
		`","url":"https://www.youtube.com/channel/UC`+p.opaque(22)+`"}],"time":"`+p.stamp()+`","products":["YouTube"],"activityControls":["YouTube watch history"]}`...)
}

func (p *packer) searched(product, address string) {
	p.stats.Items["search_history"]++
	query := p.writer.pick(words) + " " + p.writer.pick(words)
	p.line = append(p.line, `{"header":"`+product+`","title":"Searched for `+query+`","titleUrl":"`+address+p.writer.pick(words)+"+"+p.writer.pick(words)+
		`","time":"`+p.stamp()+`","products":["`+product+`"]}`...)
}

// photos writes pictures with about size bytes, each with its description.
func (p *packer) photos(size int64) {
	for n, end := 1, p.stats.Bytes+size; p.stats.Bytes < end && p.err == nil; n++ {
		p.advance(48 * time.Hour)
		p.stats.Items["photos"]++
		name := "IMG_" + strconv.Itoa(n) + ".jpg"
		path := "Takeout/Google Photos/Photos from " + p.now.Format("2006") + "/" + name
		p.begin(path, true)
		for left := min(max(size/4, 1000), 3_000_000); left > 0; left -= 1 << 20 {
			p.noise(int(min(left, 1<<20)))
			p.flush()
		}
		p.begin(path+".supplemental-metadata.json", false)
		taken := strconv.FormatInt(p.now.Unix(), 10)
		p.text(`{"title":"` + name + `","description":"` + p.writer.pick(words) + `","imageViews":"3","creationTime":{"timestamp":"` + taken +
			`"},"photoTakenTime":{"timestamp":"` + taken + `"},"geoData":{"latitude":52.5,"longitude":13.4,"altitude":34.0},"url":"https://photos.google.com/photo/AF` +
			p.opaque(30) + `"}`)
	}
}

// mail writes one message; every fourth has an attachment.
func (p *packer) mail() {
	p.stats.Items["mail_messages"]++
	p.advance(10 * time.Minute)
	p.line = append(p.line, "From "+strconv.FormatUint(p.rand.Uint64()>>3, 10)+"@xxx "+p.now.Format("Mon Jan 02 15:04:05 -0700 2006")+
		"\r\nX-Gmail-Labels: Inbox,"+p.writer.pick([]string{"Opened", "Unread", "Starred"})+"\r\nDate: "+p.now.Format(time.RFC1123Z)+
		"\r\nFrom: Ana Example <ana@example.org>\r\nTo: mira@example.org\r\nSubject: "...)
	p.line = p.sentence(p.line, 40)
	p.line = append(p.line, "\r\nMessage-ID: <"+p.uuid()+"@example.org>\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n"...)
	p.line = p.sentence(p.line, p.skewed(600, 20_000))
	p.flush()
	if p.rand.IntN(4) == 0 {
		p.text("\r\n--b\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n")
		for range p.skewed(200, 20_000) { // lines of 76
			from := len(p.line)
			p.noise(57)
			text := base64.StdEncoding.EncodeToString(p.line[from : from+57])
			p.line = append(append(p.line[:from], text...), "\r\n"...)
		}
	}
	p.text("\r\n--b--\r\n\r\n")
	p.stats.Lines++
}
