package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// The events as endpoints get them.
const (
	prefix  = "inquiry."
	created = prefix + string(inquiry.Created)
	overdue = prefix + string(inquiry.Overdue)
)

// notification is one event about one question, for every endpoint that wants it.
type notification struct {
	event    string
	question inquiry.Question // its answer is not read
	notice   *Notice          // in the question's place
	at       time.Time        // when it happened
	link     string           // to where it is answered; "" when it is not known
}

func newMessage(t inquiry.EventType, q inquiry.Question) *notification {
	m := &notification{event: prefix + string(t), question: q, at: q.AskedAt}
	if t == inquiry.Overdue {
		m.at = q.AttentionUntil
	}
	if q.Resolution != nil {
		m.at = q.Resolution.At
	}
	return m
}

// final reports whether no answer is needed any more.
func (m *notification) final() bool {
	return m.notice == nil && m.event != created && m.event != overdue
}

// obsoleteAfter reports whether m comes too late after x: it is the same, or x is the end of the
// question.
func (m *notification) obsoleteAfter(x *notification) bool {
	return m.key() == x.key() && (m.event == x.event || x.final())
}

func (m *notification) receipt(endpoint string) Receipt {
	if m.notice != nil {
		return Receipt{"", m.notice.SessionID, m.id(), endpoint}
	}
	return Receipt{m.question.ID, m.question.SessionID, m.event, endpoint}
}

// id is the same however often, and by whichever process, the message is sent. It holds no full
// stop, as the signature scheme wants it.
func (m *notification) id() string {
	return "msg_" + m.key() + "_" +
		strings.ReplaceAll(strings.TrimPrefix(m.event, prefix), ".", "_")
}

// payload is the body of a webhook.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

type data struct {
	QuestionID     string         `json:"question_id"`
	SessionID      string         `json:"session_id,omitempty"`
	Kind           inquiry.Kind   `json:"kind"`
	Status         inquiry.Status `json:"status"`
	Text           string         `json:"text,omitempty"`
	Options        []string       `json:"options,omitempty"`
	Secret         bool           `json:"secret,omitempty"`
	AskedAt        time.Time      `json:"asked_at"`
	AttentionUntil time.Time      `json:"attention_until"`
	ExpiresAt      time.Time      `json:"expires_at"`
	URL            string         `json:"url,omitempty"`
	Resolution     *resolution    `json:"resolution,omitempty"`
}

// resolution says how a question was settled, and nothing of the answer.
type resolution struct {
	Type      inquiry.Type `json:"type"`
	Channel   string       `json:"channel"`
	Authority string       `json:"authority,omitempty"`
	By        string       `json:"by,omitempty"`
	At        time.Time    `json:"at"`
}

// The longest texts that leave, in characters. A receiver with more interest follows the link.
const (
	maxText    = 1000
	maxOptions = 50
)

func (m *notification) body(o *Options) ([]byte, error) {
	if m.notice != nil {
		said := *m.notice
		said.Event, said.At = "", time.Time{}
		return json.Marshal(payload{m.event, m.at.UTC(), said})
	}
	q := m.question
	d := data{QuestionID: q.ID, SessionID: q.SessionID, Kind: q.Kind, Status: q.Status,
		Secret: q.Secret, AskedAt: q.AskedAt, AttentionUntil: q.AttentionUntil,
		ExpiresAt: q.ExpiresAt, URL: m.link}
	if !o.HideText {
		d.Text = text.Cut(q.Text, maxText)
		options := inquiry.As[inquiry.Ask](q).Options
		for _, option := range options[:min(len(options), maxOptions)] {
			d.Options = append(d.Options, text.Cut(option, 100))
		}
	}
	if r := q.Resolution; r != nil {
		d.Resolution = &resolution{r.Type, r.Channel, r.Authority, r.By, r.At}
	}
	return json.Marshal(payload{m.event, m.at.UTC(), d})
}

// key is the same for messages about the same, which keep their order.
func (m *notification) key() string {
	if m.notice == nil {
		return m.question.ID
	}
	n := m.notice
	sum := sha256.Sum256([]byte(strings.Join([]string{n.Event, n.SessionID, n.RunID, n.Serial,
		n.Schedule, strconv.FormatInt(n.At.UnixNano(), 10)}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
