package notify

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/notify/push"
)

// questions is what a Notifier needs of an inquiry.Broker.
type questions interface {
	Subscribe() *inquiry.Subscription
	Get(ctx context.Context, id string) (inquiry.Question, error)
	List(ctx context.Context, f inquiry.Filter) ([]inquiry.Question, error)
}

// Options say whom to tell, and how. Questions and Ledger are needed; without an endpoint nothing
// is sent.
type Options struct {
	Questions questions
	Ledger    ledger // what was delivered
	Webhooks  []Webhook
	Ntfy      Ntfy
	Browsers  *push.Browsers // that have subscribed on the page; nil means none
	HideText  bool           // leave out the question's text
	// patterns of the events that are sent, such as "run.*"; nil means those of questions
	Events  []string
	Answers bool // notices of runs have their answers
	// where the page is now; links are that and "/ui#question=ID"; nil, or "", means no links
	BaseURL func() string

	Transport http.RoundTripper // nil means a copy of http.DefaultTransport
	Try       time.Duration     // longest time for one attempt; 0 means 10 s
	// before the second attempt, then twice as long each time; 0 means 1 s
	FirstWait time.Duration
	LastWait  time.Duration // the longest of these; 0 means 10 min
	GiveUp    time.Duration // how long a message is tried; 0 means 24 h
	Queue     int           // messages that wait for one endpoint; 0 means 1000
	Log       *slog.Logger  // nil discards; addresses and secrets are never logged
}

// Webhook is an endpoint that gets every event, signed.
type Webhook struct {
	URL    string
	Secret string // "whsec_" and 24 to 64 bytes in base64
}

// Ntfy is a topic of an ntfy server. It gets what needs a person: a new question, and one that is
// overdue.
type Ntfy struct {
	URL   string // of the topic, for example https://ntfy.sh/TOPIC; "" means none
	Token string // "" means that the topic is open to everybody
}
