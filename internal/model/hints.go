package model

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

func (k *attempts) withHint(e *Error) error { return hint.Add(e, k.hint(e)) }

func (k *attempts) hint(e *Error) string {
	env := k.opts.Env
	if sightless(e.Message) && (e.Kind == BadReply || e.Kind == ServerFault) {
		return "set " + env + "NAME to a model that takes pictures"
	}
	switch e.Kind {
	case Unreachable:
		return k.hintReach(e)
	case TimedOut:
		return fmt.Sprintf(
			"raise %sTIMEOUT (now %s), or check that the endpoint is not still loading the model",
			env, k.opts.Timeout,
		)
	case Unauthorized:
		if k.opts.APIKey == "" {
			return "set " + env + "API_KEY"
		}
		return "check " + env + "API_KEY: the endpoint does not accept it"
	case NoSuchModel:
		if k.opts.ollama() {
			return "ollama pull " + k.opts.Name + ", or set " + env +
				"NAME to a model that is there"
		}
		return "set " + env + "NAME to a model that the endpoint has"
	case NoSuchPath, BadReply:
		return k.hintPath(e)
	case Withheld:
		return "the endpoint's content filter refused the screen or the task: word the task " +
			"otherwise, or use another endpoint or model"
	case RateLimited:
		if noMoney().MatchString(strings.ToLower(e.Message + " " + e.code)) {
			return "the account has nothing left: top it up, or use another endpoint"
		}
		return "wait, look at the account's limits, or use another endpoint or model"
	case TooLong:
		return "give the model a longer context (Ollama: OLLAMA_CONTEXT_LENGTH, vLLM: " +
			"--max-model-len), or send smaller pictures"
	case ServerFault:
		return "look at the endpoint's own log (" + env + "BASE_URL is " +
			text.Address(k.opts.BaseURL) +
			"), then try again"
	}
	return k.hintRejected(e)
}

// hintRejected is about a request that the endpoint refuses for its content.
func (k *attempts) hintRejected(e *Error) string {
	// Before sight: a model's own name may hold "vision".
	if e.NoTools() {
		return "set model.dialect to general, which needs no tools"
	}
	if e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooEarly {
		return "the endpoint was not ready: try again, or look at its own log"
	}
	if noRegion().MatchString(strings.ToLower(e.Message + " " + e.code)) {
		return "the endpoint does not serve this region: use another endpoint"
	}
	if sightless(e.Message) {
		return "set " + k.opts.Env + "NAME to a model that takes pictures"
	}
	if membersOf(unlisted(k.body)) == nil {
		return k.hintPath(e)
	}
	group := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(k.opts.Env, "TAPLOOP_"), "_"))
	return "the endpoint's message names the parameter; `" + group + ".extra: {NAME: null}` in " +
		"the configuration file leaves it out, and `taploop config show` lists the model's"
}

func (k *attempts) hintReach(e *Error) string {
	var dns *net.DNSError
	switch {
	case errors.As(e, &dns):
		return "check the host's name in " + k.opts.Env + "BASE_URL"
	case errors.Is(e, http.ErrSchemeMismatch):
		return "the endpoint speaks plain http: set " + k.opts.Env + "BASE_URL to http://..."
	case strings.Contains(e.Message, "certificate"):
		return "have the endpoint's certificate authority trusted by this machine (or name it in " +
			"SSL_CERT_FILE)"
	case k.absent(e):
		return "set " + k.opts.Env + "BASE_URL and " + k.opts.Env +
			"NAME, or start Ollama: ollama serve"
	case errors.Is(e, syscall.ECONNREFUSED) && k.opts.ollama():
		return "is Ollama running? start it with: ollama serve"
	case errors.Is(e, syscall.ECONNREFUSED):
		return "start the model's server, or set " + k.opts.Env + "BASE_URL to where it listens"
	}
	return "check the network and " + k.opts.Env + "BASE_URL"
}

func (k *attempts) hintPath(e *Error) string {
	base := text.Address(k.opts.BaseURL)
	if to := k.header.Get("Location"); to != "" {
		return fmt.Sprintf("if that is the right place, set %sBASE_URL to it without %s",
			k.opts.Env, chatPath)
	}
	if !strings.Contains(base, "/v1") && (e.Kind == NoSuchPath || looksHTML(k.body)) {
		return fmt.Sprintf("set %sBASE_URL to %s/v1", k.opts.Env, base)
	}
	return fmt.Sprintf("check that %s is an OpenAI-compatible endpoint (%sBASE_URL)", base,
		k.opts.Env)
}

// ollama guesses whose hints to give from Ollama's port.
func (o *Options) ollama() bool { return strings.Contains(o.BaseURL, ":11434") }

// offer adds the models that are there to the hint of a NoSuchModel.
func offer(err error, names []string, env string) error {
	const most = 12
	if len(names) == 0 {
		return err
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	list := text.Cut(text.Line(strings.Join(names, ", ")), 400)
	return hint.Add(err, fmt.Sprintf("%s; the endpoint has: %s%s", hint.Of(err), list, more))
}
