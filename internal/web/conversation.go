package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

const (
	chatPath = "/v1/chat/completions"
	// anyPhone is the model that stands for the only usable phone.
	anyPhone = "taploop"
	// hostModel stands for the agents that reach goals with tools, phones and people.
	hostModel       = "taploop-host"
	maxConversation = 4 << 20 // bytes of a conversation, which its client sends whole each time
	// a conversation that is not streamed is answered before OpenAI's clients give up
	patience = 9 * time.Minute
)

// conversation is a request in the form of OpenAI's chat completions.
// https://platform.openai.com/docs/api-reference/chat/create
type conversation struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Stream   bool          `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	// read leniently, by [conversation.forProgram] and [conversation.manner]
	Temperature         json.RawMessage `json:"temperature"`
	MaxTokens           json.RawMessage `json:"max_tokens"`
	MaxCompletionTokens json.RawMessage `json:"max_completion_tokens"`
	ResponseFormat      json.RawMessage `json:"response_format"`
	Metadata            struct {
		Session  string `json:"session_id"`
		Question string `json:"question_id"`
	} `json:"metadata"`

	words    string // of the user, now
	session  string // to continue, or its id's beginning ("" begins one)
	question string // that the user saw last and answers, or ""
	seen     bool   // what the assistant said last is there: "" is no question then
}

type chatMessage struct {
	Role    string   `json:"role"`
	Content chatText `json:"content"`
}

// chatText is a text, or a list of parts that are texts.
type chatText string

// UnmarshalJSON takes both. It ignores null.
func (c *chatText) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("a part of a message is %q (want text: put what a picture shows "+
				"into words)", p.Type)
		}
		texts = append(texts, p.Text)
	}
	*c = chatText(strings.Join(texts, "\n"))
	return nil
}

// mark begins all that the assistant says. Clients send a conversation whole, so it tells which
// session one is about, and in Markdown it is not shown.
const mark = "[//]: # (taploop %s)\n\n"

// unbegun stands in the mark for a session where a greeting was answered, which begins none.
const unbegun = "unbegun"

// questionMark ends what the assistant says when that is a question: an answer is for the question
// that was seen, also when it is sent again after another one was asked.
const questionMark = "\n\n[//]: # (taploop question %s)"

var (
	marked     = text.Lazily(`^\s*\[//\]: # \(taploop ([A-Za-z0-9_-]{4,200})\)`)
	askedAtEnd = text.Lazily(`\[//\]: # \(taploop question ([A-Za-z0-9_-]{4,200})\)\s*$`)
)

var errNoMark = hint.Add(errors.New("it cannot be told which session this conversation is about: "+
	"the assistant's last message does not begin with the line that it had"),
	"send the assistant's messages back as they came, or metadata.session_id; or begin a new chat")

// readConversation reads the body. What the phone's agent has no use for, such as temperature or a
// system message, is left aside.
func readConversation(r *http.Request) (*conversation, error) {
	b, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	c := new(conversation)
	if !utf8.Valid(b) {
		return nil, badRequest("the body is not UTF-8")
	}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, badRequest("the body is no chat completion request: %w", err)
	}
	n := len(c.Messages)
	if n == 0 || c.Messages[n-1].Role != "user" {
		return nil, badRequest("the last of the messages is to be the user's")
	}
	c.words = strings.TrimSpace(string(c.Messages[n-1].Content))
	if c.words == "" {
		return nil, badRequest("the user's last message is empty")
	}
	if err := c.readMarks(); err != nil {
		return nil, err
	}
	if why := c.programs(); why != "" {
		return nil, refuse("INVALID_ARGUMENT", hint.Add(fmt.Errorf(
			"this is no task of a person: %s", why), "switch off the chat program's own requests "+
			"to this model (titles, tags, follow-ups, completion), or give them another model"))
	}
	return c, nil
}

// readMarks finds which session the conversation is about, and which question was seen last.
func (c *conversation) readMarks() error {
	c.session, c.question = c.Metadata.Session, c.Metadata.Question
	for _, m := range slices.Backward(c.Messages) {
		if m.Role != "assistant" {
			continue
		}
		said := string(m.Content)
		if found := askedAtEnd().FindStringSubmatch(said); found != nil && c.question == "" {
			c.question = found[1]
		}
		found := marked().FindStringSubmatch(said)
		c.seen = found != nil
		switch {
		case c.session != "":
		case found == nil:
			return refuse("INVALID_ARGUMENT", errNoMark)
		case found[1] != unbegun:
			c.session = found[1]
		}
		break
	}
	return nil
}
