package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/taploop/taploop/internal/text"
)

// Client asks one model at one endpoint. Any number of goroutines may use it.
type Client struct {
	opts        Options
	next        http.RoundTripper
	unsupported unsupportedParams
}

// New checks the options. It does not connect to the endpoint.
func New(opts *Options) (*Client, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Client{opts: o, next: o.Transport}
	if c.next == nil {
		c.next = newTransport()
	}
	if o.APIKey != "" && !o.local() && !strings.HasPrefix(strings.ToLower(o.BaseURL), "https:") {
		o.Log.Warn("the API key travels unencrypted: the endpoint is neither https nor on this "+
			"machine", "base_url", text.Address(o.BaseURL))
	}
	return c, nil
}

// Close lets go of idle connections. Calls that are under way go on.
func (c *Client) Close() { closeIdle(c.next) }

// String names the model and the endpoint, not the key.
func (c *Client) String() string { return c.opts.Name + " at " + text.Address(c.opts.BaseURL) }

// Format prints String whatever the verb: with some, fmt would walk into the options and print the
// key.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// Complete asks once and returns the reply, after as many attempts as the options allow. It ends
// with ctx's cause when ctx ends, and else fails with an *Error that carries a hint. A reply that
// the token limit cut off is no error here: see Response.Truncated.
func (c *Client) Complete(ctx context.Context, r Request) (Response, error) {
	for {
		set, err := c.parameters(&r)
		if err != nil {
			return Response{}, err
		}
		body, err := c.body(&r, set)
		if err != nil {
			return Response{}, err
		}
		resp, err := c.ask(ctx, body, r.Sight)
		if err != nil && c.unsupported.add(err, set) {
			c.opts.Log.InfoContext(ctx, "the endpoint does not take a parameter; asking without it",
				"model", c.opts.Name, "why", err)
			continue
		}
		if err != nil {
			return Response{}, c.withModels(ctx, err)
		}
		resp.Model = c.opts.Name
		return resp, nil
	}
}

func (c *Client) ask(
	ctx context.Context, body []byte, sight func() (Sight, error),
) (Response, error) {
	k := c.newCall()
	k.usable, k.sight = isCompletion, sight
	if err := k.failed(ctx, k.send(ctx, chatPath, body)); err != nil {
		return Response{}, err
	}
	return k.response()
}

// listTime is how long an endpoint has to list its models before it is asked for a token instead.
const listTime = 5 * time.Second

// Ready asks whether the endpoint is there, is one of models and takes the key, as cheaply as that
// can be asked: it lists the models. Where an answer to that proves nothing, because it is no list
// or the list is for others, or where none comes, one token is asked for. It fails as Complete
// does. A cassette is always ready, and none of this is recorded.
func (c *Client) Ready(ctx context.Context) error {
	next := c.next
	switch t := next.(type) {
	case *Replayer:
		return nil
	case *Recorder:
		next = t.next
	}
	k := c.newCall()
	k.next = next
	soon, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	met := k.send(soon, modelsPath, nil)
	listed := met == nil && k.status/100 == 2 && isList(k.body)
	if listed || ctx.Err() != nil || unreached(met) {
		return k.failed(ctx, met)
	}
	body, err := json.Marshal(map[string]any{"model": c.opts.Name, "max_tokens": 1,
		"messages": []map[string]string{{"role": "user", "content": "ok"}}})
	if err != nil {
		return err
	}
	k = c.newCall()
	k.next, k.usable = next, isCompletion
	if err := k.failed(ctx, k.send(ctx, chatPath, body)); err != nil {
		return k.unlessAnswered(err)
	}
	_, err = k.response()
	return err
}

// unreached reports whether err says that there is no connection to be had, so that no other
// question would be answered, or that the request is not one.
func unreached(err error) bool {
	var dial *net.OpError
	var own permanent
	return errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &own)
}

// isList reports whether a body is a list of models.
func isList(body []byte) bool {
	var list struct{ Data, Models []json.RawMessage }
	return json.Unmarshal(body, &list) == nil && (list.Data != nil || list.Models != nil)
}

// unlessAnswered is err, unless it says that the endpoint is one of models, took the key, and has
// only something against so short a question or so many of them. That it is one of models shows in
// an answer in JSON: a proxy or a web server refuses in its own words or with a page.
func (k *attempts) unlessAnswered(err error) error {
	if e, is := errors.AsType[*Error](err); is && (e.Kind == Rejected || e.Kind == TooLong ||
		e.Kind == RateLimited || e.Kind == Withheld) && membersOf(unlisted(k.body)) != nil {
		return nil
	}
	return err
}

// Models lists what the endpoint offers.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	k := c.newCall()
	if err := k.failed(ctx, k.send(ctx, modelsPath, nil)); err != nil {
		return nil, err
	}
	var list openai.ModelsList
	if err := json.Unmarshal(k.body, &list); err != nil {
		return nil, k.withHint(k.unreadable(err))
	}
	return text.Each(list.Models, func(m openai.Model) string { return k.scrub.Text(m.ID) }), nil
}

func (c *Client) newCall() *attempts {
	return &attempts{opts: &c.opts, next: c.next, scrub: newScrubber(string(c.opts.APIKey))}
}

// withModels names the endpoint's models along with the complaint that there is no such model.
func (c *Client) withModels(ctx context.Context, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Kind != NoSuchModel {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second,
		fmt.Errorf("listing the models took over 5s"))
	defer cancel()
	names, listErr := c.Models(ctx)
	if listErr != nil {
		c.opts.Log.DebugContext(ctx, "listing models", "error", listErr)
		return err
	}
	return offer(err, names, c.opts.Env)
}

// parameters are those of one request, its own before the client's, without what the endpoint was
// found not to take.
func (c *Client) parameters(r *Request) (map[string]any, error) {
	temperature := c.opts.Temperature
	if r.Temperature != nil {
		temperature = r.Temperature
	}
	if err := inRange("temperature", temperature, 0, 2); err != nil {
		return nil, err
	}
	set := map[string]any{}
	for name, v := range map[string]*float64{
		"temperature":       temperature,
		"top_p":             c.opts.TopP,
		"frequency_penalty": c.opts.FrequencyPenalty,
	} {
		// A penalty of 0 is what endpoints do without one, and some refuse the field.
		if v != nil && (*v != 0 || name != "frequency_penalty") {
			set[name] = *v
		}
	}
	if len(r.Tools) > 0 {
		set["parallel_tool_calls"] = r.Parallel
	}
	if tokens := cmp.Or(r.MaxTokens, c.opts.MaxTokens); tokens > 0 {
		set["max_tokens"] = tokens
	}
	return c.unsupported.apply(set), nil
}

// body is the request as JSON: the model, the messages, the tools and the parameters, and Extra on
// top of all.
func (c *Client) body(r *Request, parameters map[string]any) ([]byte, error) {
	messages, err := r.messages()
	if err != nil {
		return nil, err
	}
	body := map[string]any{"model": c.opts.Name, "messages": messages, "stream": false}
	if len(r.Tools) > 0 {
		body["tools"] = r.tools()
	}
	if len(r.Stop) > 0 {
		body["stop"] = r.Stop
	}
	maps.Copy(body, parameters)
	maps.Copy(body, c.opts.Extra)
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == nil })
	return json.Marshal(body)
}
