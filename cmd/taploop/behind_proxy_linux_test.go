package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/patient"
)

// A client that reaches the server through the proxies that docs/operate.md sets up hears each step
// of a task while the task goes on.
func TestTheProxiesOfTheDocumentationLetStreamsThrough(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operate.md")
	require.NoError(t, err)
	cert := newCertificate(t)
	for name, p := range map[string]struct {
		block, pid string
		args       []string
		around     func(dir, block string) string
	}{
		"nginx": {block: "    server {", args: []string{"-g", "daemon off;", "-p", ".", "-e", "stderr", "-c"},
			around: func(dir, block string) string {
				return "pid nginx.pid; events {} http { access_log off; " +
					"client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; " +
					"uwsgi_temp_path d; scgi_temp_path e;\n" +
					strings.Replace(block, "listen 443 ssl", "listen unix:"+dir+"/tls ssl", 1) + "}"
			}},
		"caddy": {block: "    phones.example {", args: []string{"run", "--adapter", "caddyfile", "--config"},
			around: func(dir, block string) string {
				return "{\n admin off\n auto_https off\n}\nhttps://" +
					strings.Replace(strings.TrimSpace(block), "{",
						"{\n bind unix/"+dir+"/tls\n tls "+cert.file+" "+cert.file, 1)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTestEnv(t, demoTask, "", "TAPLOOP_HTTP_HOSTS=phones.example")
			server, url := b.serve()
			_, after, found := strings.Cut(string(page), "\n"+p.block+"\n")
			require.True(t, found, "docs/operate.md has an example for %s", name)
			block, _, _ := strings.Cut(after, "\n    }\n")
			addr := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
			dir := t.TempDir()
			conf := filepath.Join(dir, "conf")
			require.NoError(t, writeFile(conf, p.around(dir, strings.NewReplacer(
				"127.0.0.1:8702", addr, "/etc/ssl/phones.pem", cert.file,
				"/etc/ssl/phones.key", cert.file).Replace(p.block+"\n"+block+"\n}\n"))))
			tell := startProxy(t, name, dir, append(p.args, conf)...)
			patient.Until(t, func() bool {
				conn, err := net.Dial("unix", dir+"/tls")
				return err == nil && conn.Close() == nil
			}, tell)

			hold := b.holdAt("2/8")
			s := connect(t, modern, cert.through(t, dir+"/tls"))
			done := make(chan error, 1)
			go func() {
				_, err := s.ask(t.Context(), "ask_agent_start_new_task",
					map[string]any{"task": b.task.Goal, "wait_seconds": 600}, "tok")
				done <- err
			}()
			hold.await(t)
			patient.Until(t, func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return len(s.progress) > 0
			}, "a step is heard of while the model thinks about the next one")
			hold.open()
			require.NoError(t, <-done)
			server.kill()
		})
	}
}

// startProxy starts a program of Debian's in the folder, until the test ends.
func startProxy(t *testing.T, name, dir string, args ...string) *transcript {
	program, err := exec.LookPath(name)
	if err != nil {
		program = "/usr/sbin/" + name
	}
	cmd := exec.Command(program, args...)
	said := newTranscript()
	cmd.Dir, cmd.Stderr, cmd.Stdout = dir, said, said
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	require.NoError(t, cmd.Start(), "try: apt-get install nginx-light caddy")
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, said)
		}
	})
	return said
}

// certificate is one for phones.example that signs itself, with its key in the same file.
type certificate struct {
	file string
	pool *x509.CertPool
}

func newCertificate(t *testing.T) certificate {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	c := certificate{filepath.Join(t.TempDir(), "cert.pem"), x509.NewCertPool()}
	c.pool.AddCert(s.Certificate())
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	require.NoError(t, writeFile(c.file, string(both)))
	return c
}

// through is the way of an MCP client that finds phones.example at the socket.
func (c certificate) through(t *testing.T, socket string) transport.Interface {
	road := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: c.pool, ServerName: "example.com"},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}
	t.Cleanup(road.CloseIdleConnections)
	tr, err := transport.NewStreamableHTTP("https://phones.example/mcp",
		transport.WithHTTPBasicClient(&http.Client{Transport: road}))
	require.NoError(t, err)
	return tr
}
