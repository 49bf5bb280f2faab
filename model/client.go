package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

const (
	chatPath   = "/chat/completions"
	modelsPath = "/models"
)

// Client asks one model at one endpoint. Any number of goroutines may use it.
type Client struct {
	opts        Options
	extra       []field
	next        http.RoundTripper
	unsupported unsupportedParams
	mu          sync.Mutex
	total       Total // guarded by mu
}

// Total is what a client's calls came to.
type Total struct {
	Usage
	Calls      int // that got a reply
	Unreported int // of those, replies that did not say their usage
}

// New checks the options; it does not yet talk to the endpoint.
func New(opts *Options) (*Client, error) {
	o, err := opts.settled()
	if err != nil {
		return nil, err
	}
	c := &Client{opts: o, next: o.Transport}
	if c.extra, err = extraFields(o.Extra); err != nil {
		return nil, err
	}
	if c.next == nil {
		c.next = newTransport()
	}
	if o.APIKey != "" && !o.local() && !strings.HasPrefix(strings.ToLower(o.BaseURL), "https:") {
		o.Log.Warn("the API key travels unencrypted: the endpoint is neither https nor on this machine", "base_url", o.BaseURL)
	}
	return c, nil
}

// newTransport is one of the client's own, so that closing its connections closes nobody else's.
func newTransport() http.RoundTripper {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t.Clone()
	}
	return http.DefaultTransport
}

// Close lets go of idle connections. Calls that are under way go on.
func (c *Client) Close() { closeIdle(c.next) }

func closeIdle(rt http.RoundTripper) {
	if t, ok := rt.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// String names the model and the endpoint, not the key.
func (c *Client) String() string { return c.opts.Name + " at " + c.opts.BaseURL }

// Format prints String whatever the verb: with some, fmt would walk into the options and print the key.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// Name is the model's name.
func (c *Client) Name() string { return c.opts.Name }

// Total is the sum of all calls so far.
func (c *Client) Total() Total {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Complete asks once and returns the reply, after as many attempts as the options allow. It ends with ctx's cause when ctx
// ends, and else fails with an *Error that carries a mend. A reply that the token limit cut off is no error here: see
// Response.Truncated.
func (c *Client) Complete(ctx context.Context, r Request) (Response, error) {
	asked, err := r.wire()
	if err != nil {
		return Response{}, err
	}
	start := time.Now()
	for {
		set, err := c.fields(&r)
		if err != nil {
			return Response{}, err
		}
		resp, err := c.ask(ctx, asked, append(slices.Clip(set), c.extra...))
		if err != nil && c.unsupported.add(err, set) {
			c.opts.Log.InfoContext(ctx, "the endpoint does not take a parameter; asking without it", "model", c.opts.Name, "why", err)
			continue
		}
		if err != nil {
			return Response{}, c.withModels(ctx, err)
		}
		resp.Took = time.Since(start)
		c.count(resp.Usage)
		return resp, nil
	}
}

// ask sends one call. The model's name and the parameters go in below go-openai, which would refuse some combinations of
// its own accord by the look of the name, and drops zeros.
func (c *Client) ask(
	ctx context.Context, asked openai.ChatCompletionRequest, set []field,
) (Response, error) {
	k := c.newCall(set)
	raw, err := k.client().CreateChatCompletion(ctx, asked)
	if err != nil || k.status/100 == 3 {
		return Response{}, k.explain(ctx, err)
	}
	return k.reply(&raw)
}

// Models lists what the endpoint offers.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	k := c.newCall(nil)
	list, err := k.client().ListModels(ctx)
	if err != nil || k.status/100 == 3 {
		return nil, k.explain(ctx, err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, k.scrub.text(m.ID))
	}
	return names, nil
}

func (c *Client) newCall(set []field) *call {
	return &call{opts: &c.opts, next: c.next, set: set, scrub: newScrubber(string(c.opts.APIKey))}
}

func (k *call) client() *openai.Client {
	config := openai.DefaultConfig(string(k.opts.APIKey))
	config.BaseURL = k.opts.BaseURL
	config.HTTPClient = k
	return openai.NewClientWithConfig(config)
}

func (c *Client) count(u Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total.Calls++
	c.total.PromptTokens += u.PromptTokens
	c.total.CompletionTokens += u.CompletionTokens
	if !u.Reported {
		c.total.Unreported++
	}
}

// withModels names the endpoint's models beside the complaint that there is no such model.
func (c *Client) withModels(ctx context.Context, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Kind != NoSuchModel {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, fmt.Errorf("listing the models took over 5s"))
	defer cancel()
	names, listErr := c.Models(ctx)
	if listErr != nil {
		c.opts.Log.DebugContext(ctx, "listing models", "error", listErr)
		return err
	}
	return offer(err, names, c.opts.Env)
}
