package config_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

func TestWhomToNotifyIsReadFromFileAndEnvironment(t *testing.T) {
	l, err := load(t, config.Options{
		File: write(t, "c.yaml",
			"notify:\n  base_url: https://phones.example/x\n"+
				"  webhooks:\n  - {url: https://a.example/1, secret: whsec_file}\n"+
				"  - url: http://b.example:8080/2\n    secret_env: TAPLOOP_WEBHOOK_SECRET_B\n"),
		Environ: []string{"TAPLOOP_WEBHOOK_SECRET_B=whsec_env",
			"TAPLOOP_NOTIFY_NTFY_URL=https://ntfy.example/topic", "TAPLOOP_NOTIFY_NTFY_TOKEN=tk_1",
			"TAPLOOP_NOTIFY_TEXT=false"},
	})
	require.NoError(t, err)
	require.Equal(t, config.Notify{
		Webhooks: []config.Webhook{{URL: "https://a.example/1", Secret: "whsec_file"},
			{URL: "http://b.example:8080/2", Secret: "whsec_env",
				SecretEnv: "TAPLOOP_WEBHOOK_SECRET_B"}},
		Ntfy:    config.Ntfy{URL: "https://ntfy.example/topic", Token: model.Secret("tk_1")},
		BaseURL: "https://phones.example/x", Events: []string{"inquiry.*"},
	}, l.Notify)
	plain, err := load(t, config.Options{})
	require.NoError(t, err)
	require.True(t, plain.Notify.Text)
}

func TestSecretsAndTopicsOfNotificationsAreNeverPrinted(t *testing.T) {
	l, err := load(t, config.Options{
		File: write(t, "c.yaml",
			"notify: {webhooks: [{url: 'https://a.example/hush1?x=hush2', secret: whsec_hush3}]}"),
		Environ: []string{"TAPLOOP_NOTIFY_NTFY_URL=https://ntfy.example/hush4",
			"TAPLOOP_NOTIFY_NTFY_TOKEN=hush5"},
	})
	require.NoError(t, err)
	encoded, err := json.Marshal(l.Notify)
	require.NoError(t, err)
	printed := fmt.Sprintf("%v %+v %#v %s", l.Config, l.Values(), l, encoded)
	for _, v := range l.Values() {
		printed += fmt.Sprintf("%v %s %q", v.Value, v.Value, v.Value)
	}
	require.NotContains(t, printed, "hush")
	require.Contains(t, printed, "https://a.example/[secret]", "which server it is may be known")
}

func TestNotificationsThatCannotWorkAreNamedWithTheirHint(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		environ []string
		want    string
		hint    string
	}{
		"an unknown field": {"notify: {webhooks: [{url: https://a.example, secrt: x}]}",
			nil, "secrt", "config show"},
		"no secret": {"notify: {webhooks: [{url: https://a.example}]}", nil,
			"notify.webhooks[0] has no secret", "whsec_"},
		"two secrets": {"notify: {webhooks: [{url: https://a.example, secret: x, secret_env: Y}]}",
			nil, "both secret and secret_env of notify.webhooks[0]", "keep one"},
		"no address": {"notify: {webhooks: [{url: hooks.example, secret: x}]}", nil,
			"the url of notify.webhooks[0] is no address", "https://"},
		"a topic without server": {"notify: {ntfy: {url: topic}}", nil,
			"notify.ntfy.url is no address", "https://ntfy.sh/TOPIC"},
		"a token in the file": {"notify: {ntfy: {token: tk_hush}}", nil,
			"notify.ntfy.token is set by ", "TAPLOOP_NOTIFY_NTFY_TOKEN"},
		"a page with a fragment": {"notify: {base_url: 'https://a.example/#x'}", nil,
			"notify.base_url is", "browsers"},
		"webhooks in a variable": {"", []string{"TAPLOOP_NOTIFY_WEBHOOKS=https://a.example"},
			"there is no setting TAPLOOP_NOTIFY_WEBHOOKS", ""},
		"a webhook that is a word": {"notify: {webhooks: [https://a.example]}", nil,
			"notify.webhooks", ""},
	} {
		_, err := load(t, config.Options{File: write(t, "c.yaml", c.file), Environ: c.environ})
		require.ErrorContains(t, err, c.want, name)
		require.Contains(t, hint.Of(err), c.hint, name)
		require.NotContains(t, err.Error(), "hush", name)
	}
}

func TestOnlyWhoNotifiesNeedsTheSecretsInVariables(t *testing.T) {
	file := write(t, "c.yaml",
		"notify: {webhooks: [{url: https://a.example, secret: hush}, "+
			"{url: https://b.example, secret_env: WHSEC}]}")
	l, err := load(t, config.Options{File: file})
	require.NoError(t, err)
	err = l.Notify.Ready()
	require.EqualError(t, err, "notify.webhooks[1] wants its secret from WHSEC, which is not set")
	require.Equal(t,
		"[{https://a.example/[secret], secret [secret]} "+
			"{https://b.example/[secret], secret from WHSEC, which is not set}]",
		fmt.Sprint(l.Notify.Webhooks))

	l, err = load(t, config.Options{File: file, Environ: []string{"WHSEC=hush"}})
	require.NoError(t, err)
	require.NoError(t, l.Notify.Ready())
	require.Equal(t, "{https://b.example/[secret], secret from WHSEC}",
		fmt.Sprint(l.Notify.Webhooks[1]))
}
