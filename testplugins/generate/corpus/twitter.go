package corpus

import (
	"strconv"
	"time"
)

// writeTwitter writes an archive of X with about size bytes in its files: two thirds of
// them posts.
func writeTwitter(w *writer, size int64) {
	w.pack("twitter-"+w.now.Format("2006-01-02")+"-archive.zip", func(p *packer) {
		id := uint64(1_600_000_000_000_000_000)
		next := func() string {
			id += 1 + p.rand.Uint64N(1_000_000)
			return strconv.FormatUint(id, 10)
		}
		p.begin("Your archive.html", false)
		p.text("<html></html>")
		p.begin("data/account.js", false)
		p.text(`window.YTD.account.part0 = [ {"account":{"username":"mira","accountId":"42","createdAt":"2009-01-01T00:00:00.000Z","accountDisplayName":"Mira"}} ]`)
		for n, part := range []string{"", "-part1"} {
			p.begin("data/tweets"+part+".js", false)
			p.list(size/3, "window.YTD.tweets.part"+strconv.Itoa(n)+" = [", "]", func() { p.tweet(next()) })
		}
		p.begin("data/direct-messages.js", false)
		p.list(size/4, `window.YTD.direct_messages.part0 = [{"dmConversation":{"conversationId":"42-43","messages":[`, "]}}]", func() {
			p.stats.Items["direct_messages"]++
			p.line = append(p.line, `{"messageCreate":{"recipientId":"43","reactions":[],"urls":[],"text":`...)
			p.line = quote(p.line, p.sentence(nil, 80))
			p.line = append(p.line, `,"mediaUrls":[],"senderId":"42","id":"`+next()+`","createdAt":"`+p.stamp()+`"}}`...)
		})
		p.begin("data/direct-messages-group.js", false)
		p.stats.Items["direct_messages"]++ // which is no record
		p.text(`window.YTD.direct_messages_group.part0 = [{"dmConversation":{"conversationId":"77","messages":[{"joinConversation":{"initiatingUserId":"43","createdAt":"` + p.stamp() + `"}}]}}]`)
		p.begin("data/tweets_media/1.jpg", true)
		for left := size / 10; left > 0; left -= 1 << 20 {
			p.noise(int(min(left, 1<<20)))
			p.flush()
		}
		p.begin("data/manifest.js", false)
		p.text(`window.__THAR_CONFIG = {"userInfo":{"accountId":"42","userName":"mira","displayName":"Mira"},"archiveInfo":{"sizeBytes":"` + strconv.FormatInt(size, 10) +
			`","generationDate":"` + p.stamp() + `","isPartialArchive":false,"maxPartSizeBytes":"53687091200"},"dataTypes":{` +
			`"account":{"files":[{"fileName":"data/account.js","globalName":"YTD.account.part0","count":"1"}]},` +
			`"tweets":{"mediaDirectory":"data/tweets_media","files":[{"fileName":"data/tweets.js","globalName":"YTD.tweets.part0"},{"fileName":"data/tweets-part1.js","globalName":"YTD.tweets.part1"}]},` +
			`"directMessages":{"files":[{"fileName":"data/direct-messages.js","globalName":"YTD.direct_messages.part0"}]},` +
			`"directMessagesGroup":{"files":[{"fileName":"data/direct-messages-group.js","globalName":"YTD.direct_messages_group.part0"}]}}}`)
	})
}

func (p *packer) tweet(id string) {
	p.stats.Items["tweets"]++
	p.line = append(p.line, `{"tweet":{"edit_info":{"initial":{"editTweetIds":["`+id+`"]}},"retweeted":false,"entities":{"hashtags":[],"symbols":[],"user_mentions":[],"urls":[]},"favorite_count":"`+
		strconv.Itoa(p.rand.IntN(90))+`","id_str":"`+id+`","truncated":false,"retweet_count":"`+strconv.Itoa(p.rand.IntN(9))+`","id":"`+id+`","created_at":"`+
		p.now.Format(time.RubyDate)+`","favorited":false,"full_text":`...)
	p.line = quote(p.line, p.sentence(nil, 140))
	p.line = append(p.line, `,"lang":"en"}}`...)
}
