package main

import (
	"bytes"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
)

// script is a file of an archive: JSON behind an assignment, "window.YTD.tweets.part0 = [".
type script struct {
	name  string // of what is assigned, up to the equals sign
	kind  string // of a file of data: what stands between "YTD." and ".part"
	part  int    // the number that follows there; -1: none
	head  []byte // the first bytes, decoded
	whole io.Reader

	headless bool // the beginning is missing
}

// elements are the first members of elements, and the kind of file that they stand in.
var elements = map[string]string{"tweet": "tweets", "dmConversation": "direct_messages"}

// behead finds out what a file is whose beginning is missing, by the first element that it has, or by its name where
// none begins soon.
func (s *script) behead(f *exports.File) {
	named := strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(f.Base()), ".js"), "-", "_")
	if others[named] || strings.HasPrefix(named, "deleted_") {
		s.kind = named
		return
	}
	first := len(s.head)
	for member, kind := range elements {
		at := bytes.Index(s.head, []byte("\""+member+"\""))
		if at < 0 || at >= first || !bytes.HasSuffix(bytes.TrimRight(s.head[:at], " \t\r\n"), []byte("{")) {
			continue
		}
		behind := bytes.TrimLeft(s.head[at+len(member)+2:], " \t\r\n")
		if bytes.HasPrefix(behind, []byte(":")) && (kind != "tweets" || bytes.Contains(behind, []byte(`text"`))) { // else headers of posts
			s.kind, first, s.headless = kind, at, true
		}
	}
	if text := bytes.TrimLeft(s.head, "\x00 \t\r\n"); s.kind == "" && len(text) > 0 && text[0] != '<' {
		switch named {
		case "tweets", "tweet":
			s.kind, s.headless = "tweets", true
		case "direct_messages", "direct_message", "direct_messages_group":
			s.kind, s.headless = "direct_messages", true
		}
	}
}

// elementsOf returns a reader of the values at the paths.
func (s *script) elementsOf(paths ...string) *jsonstream.Reader {
	in := jsonstream.New(s.whole, paths...)
	if !s.headless {
		in.SkipPast('=')
		return in
	}
	for member, kind := range elements {
		if kind == s.kind {
			in.Begins(jsonstream.Start{Names: []string{member}})
		}
	}
	return in
}

// maxNumber bounds the number that a file may claim among those of its kind.
const maxNumber = 1000

// headBytes is how much of a file is looked at before it is read.
const headBytes = 4 << 10

// open looks at the begin of a file.
func open(f *exports.File) (script, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f.Text(), head)
	s := script{part: -1, head: head[:n], whole: io.MultiReader(bytes.NewReader(head[:n]), f.Text())}
	if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // as ReadFull returns them
		err = nil
	}
	front, _, ok := bytes.Cut(s.head, []byte("="))
	if !ok || bytes.ContainsAny(front, "{[<\"") {
		s.behead(f)
		return s, err
	}
	s.name = strings.TrimSpace(string(front))
	if _, kind, ok := strings.Cut(s.name, "YTD."); ok {
		s.kind, kind, _ = strings.Cut(kind, ".")
		if n, err := strconv.Atoi(strings.TrimPrefix(kind, "part")); err == nil && n >= 0 && n < maxNumber {
			s.part = n
		}
	}
	if strings.HasPrefix(s.name, "Grailbird.data.tweets") {
		s.kind = kindGrailbird
	}
	return s, err
}

// errEmpty is told of a file without a byte that had some: it was lost on its way.
var errEmpty = &abi.Error{Code: archive.CodeTruncated, Message: "the file has no byte"}

// isOwn reports whether a script has the name of one with posts or messages, or of one that describes an archive.
func isOwn(base string) bool {
	name, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(base), ".js"), "-", "_"), "_part")
	_, err := time.Parse("2006_01", name)
	s := script{kind: name}
	return err == nil || s.streamOfKind() != "" || describing[name]
}

var describing = names("manifest account note_tweet user_details payload_details tweet_index")

// kindGrailbird is a month of posts in an archive of 2012 to 2017.
const kindGrailbird = "grailbird"

// streamOfKind returns the stream that a file carries; "" for no stream. An unknown kind of data is
// judged by its first element.
func (s *script) streamOfKind() string {
	switch s.kind {
	case "tweets", "tweet", "community_tweet", "twitter_circle_tweet", kindGrailbird:
		return streamTweets
	case "direct_messages", "direct_message", "direct_messages_group", "direct_message_group":
		return streamMessages
	case "":
		return ""
	}
	if others[s.kind] {
		return ""
	}
	first := s.head[min(len(s.head), bytes.IndexByte(s.head, '=')+1):]
	switch {
	case bytes.Contains(first, []byte(`"dmConversation"`)) && bytes.Contains(first, []byte(`"messages"`)):
		return streamMessages
	case bytes.Contains(first, []byte(`"created_at"`)) && bytes.Contains(first, []byte(`"full_text"`)):
		return streamTweets
	}
	return ""
}

// inViewer reports whether a folder is one of the page that shows an archive.
func inViewer(dir string) bool {
	return strings.Contains("/"+dir, "/assets/") || strings.Contains("/"+dir, "/lib/") || strings.Contains("/"+dir, "/css/")
}

// ruleOf returns the kind of a file that is not for this connector, by its name; "" for one that is
// to be looked at, as every script is, whatever its folder is called.
func ruleOf(name string) string {
	dir, base := path.Split(name)
	end := strings.ToLower(path.Ext(base))
	switch {
	case end == ".csv" && strings.Contains("/"+dir, "/data/csv/"): // the same posts as data/js/tweets
		return "copies"
	case end == ".js", end == ".json", end == ".csv":
		return ""
	case strings.Contains(dir, "_media/"), end != "" && strings.Contains(media, end+" "):
		return "media"
	case inViewer(dir), end == ".html", end == ".css", end == ".woff", end == ".woff2", end == ".ttf", end == ".svg", end == ".ico", strings.EqualFold(base, "README.txt"):
		return "viewer"
	}
	return ""
}

const media = ".jpg .jpeg .png .gif .webp .mp4 .mov .m4a .mp3 .aac .ts .m3u8 "

// others are the kinds of data that no stream has, as X names them:
// https://github.com/d3i-infra/data-donation-task, x.py, and the manifests of archives of 2022 to 2026.
var others = names(`account account_creation_ip account_label account_suspension account_timezone ad_engagements ad_free_article_visits
ad_impressions ad_mobile_conversions_attributed ad_mobile_conversions_unattributed ad_online_conversions_attributed
ad_online_conversions_unattributed ads_revenue_sharing ageinfo app article article_metadata audio_video_calls_in_dm
audio_video_calls_in_dm_recipient_sessions birdwatch_note birdwatch_note_rating birdwatch_note_tombstone block branch_links catalog_item
commerce_catalog community_note community_note_batsignal community_note_rating community_note_tombstone community_tweet_media
connected_application contact deleted_note_tweet deleted_tweet_headers deleted_tweets deleted_tweets_media device_token
direct_message_group_headers direct_message_headers direct_message_mute dm_group_headers email_address_change expanded_profile
facebook_connection follower following grok_chat_item grok_chat_media ip_audit key_registry like lists_created lists_member lists_subscribed
manifest moment moments_media moments_tweets_media monetization mute ni_devices periscope_account_information periscope_ban_information
periscope_broadcast_metadata periscope_comments_made_by_user periscope_expired_broadcasts periscope_followers periscope_profile_description
personalization phone_number product_drop product_set professional_data profile profile_media protected_history reply_prompt saved_search
screen_name_change shop_account shop_module shopify_account smartblock spaces_metadata sso tweet_headers tweetdeck twitter_article
twitter_article_metadata twitter_articles_media twitter_circle twitter_circle_member twitter_shop user_link_clicks verified verified_organization`)

func names(list string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}
