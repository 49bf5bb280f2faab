package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// secrets takes the webhooks' secrets from the environment. A variable that is not set is reported
// by [Notify.Ready].
func (n *Notify) secrets(getenv func(string) string) error {
	for i := range n.Webhooks {
		w, name := &n.Webhooks[i], fmt.Sprintf("notify.webhooks[%d]", i)
		switch {
		case w.Secret != "" && w.SecretEnv != "":
			return hint.Add(fmt.Errorf("both secret and secret_env of %s are set", name),
				"keep one of them")
		case w.SecretEnv != "":
			w.Secret = model.Secret(getenv(w.SecretEnv))
		case w.Secret == "":
			return hint.Add(fmt.Errorf("%s has no secret to sign with", name),
				"set secret_env to the name of a variable, and that to whsec_ and random bytes: "+
					"echo whsec_$(openssl rand -base64 32)")
		}
	}
	return nil
}

// Ready reports the webhooks whose secret is in a variable that is not set: only who notifies needs
// it.
func (n *Notify) Ready() error {
	var missing []error
	for i, w := range n.Webhooks {
		if w.Secret == "" {
			err := fmt.Errorf("notify.webhooks[%d] wants its secret from %s, which is not set", i,
				w.SecretEnv)
			missing = append(missing, hint.Add(err, "export "+w.SecretEnv+"=whsec_..."))
		}
	}
	return errors.Join(missing...)
}

// String is the webhook for people, without its secret.
func (w Webhook) String() string {
	switch {
	case w.SecretEnv == "":
		return fmt.Sprintf("{%v, secret %v}", w.URL, w.Secret)
	case w.Secret == "":
		return fmt.Sprintf("{%v, secret from %s, which is not set}", w.URL, w.SecretEnv)
	}
	return fmt.Sprintf("{%v, secret from %s}", w.URL, w.SecretEnv)
}

// checkNotify reports what cannot work.
func (l *Loaded) checkNotify() []error {
	var bad []error
	n := &l.Notify
	for i, w := range n.Webhooks {
		if !w.URL.reachable() {
			bad = append(bad, hint.Add(fmt.Errorf("the url of notify.webhooks[%d] is no address",
				i), "write a whole one, such as https://hooks.example/taploop"))
		}
	}
	if n.Ntfy.URL != "" && !n.Ntfy.URL.reachable() {
		bad = append(bad, hint.Add(errors.New("notify.ntfy.url is no address"),
			"write a whole one with the topic, such as https://ntfy.sh/TOPIC"))
	}
	if from := l.Origin("notify.ntfy.token"); n.Ntfy.Token != "" &&
		!strings.HasPrefix(from, "TAPLOOP_") {
		bad = append(bad,
			hint.Add(fmt.Errorf("notify.ntfy.token is set by %s (want the environment)", from),
				"set TAPLOOP_NOTIFY_NTFY_TOKEN"))
	}
	return bad
}
