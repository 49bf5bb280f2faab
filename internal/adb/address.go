package adb

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// address is where a server listens, as net.Dial wants it.
type address struct{ network, addr string }

const defaultPort = "5037"

func (a address) String() string {
	if a.network == "unix" {
		return "localfilesystem:" + a.addr
	}
	return a.addr
}

// findAddress is explicit, or what adb's own variables say, in adb's order: ADB_SERVER_SOCKET
// before ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT.
func findAddress(explicit string, getenv func(string) string) (address, error) {
	if explicit != "" {
		a, err := parseAddress(explicit)
		return a, badAddress("adb.server", explicit, err)
	}
	if s := getenv("ADB_SERVER_SOCKET"); s != "" {
		a, err := parseAddress(s)
		return a, badAddress("ADB_SERVER_SOCKET", s, err)
	}
	host, port := getenv("ANDROID_ADB_SERVER_ADDRESS"), getenv("ANDROID_ADB_SERVER_PORT")
	port = cmp.Or(port, defaultPort)
	a, err := tcp(host, port)
	return a, badAddress("ANDROID_ADB_SERVER_PORT", port, err)
}

func badAddress(where, value string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s %q: %w", where, value, err)
	return hint.Add(err, "write HOST:PORT, tcp:PORT, tcp:HOST:PORT or localfilesystem:/PATH")
}

// parseAddress reads "host:port", "port" and adb's socket specifications.
func parseAddress(s string) (address, error) {
	for _, prefix := range []string{"localfilesystem:", "local:"} {
		if path, ok := strings.CutPrefix(s, prefix); ok {
			if path == "" {
				return address{}, fmt.Errorf("%s without a path", prefix)
			}
			return address{"unix", path}, nil
		}
	}
	if name, ok := strings.CutPrefix(s, "localabstract:"); ok {
		if name == "" {
			return address{}, fmt.Errorf("localabstract: without a name")
		}
		return address{"unix", "@" + name}, nil
	}
	s = strings.TrimPrefix(s, "tcp:")
	if _, err := strconv.Atoi(s); err == nil {
		return tcp("", s)
	}
	if !strings.Contains(s, ":") {
		return tcp(s, defaultPort)
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return address{}, fmt.Errorf("no address that can be read")
	}
	return tcp(host, port)
}

func tcp(host, port string) (address, error) {
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return address{}, fmt.Errorf("%q is no port from 1 to 65535", port)
	}
	host = cmp.Or(host, "127.0.0.1")
	if strings.ContainsAny(host, " /\t\r\n") {
		return address{}, fmt.Errorf("%q is no host", host)
	}
	return address{"tcp", net.JoinHostPort(host, port)}, nil
}

// local reports whether a server that is started here would listen at a: adb binds to 127.0.0.1 and
// nothing else.
func (a address) local() bool {
	if a.network == "unix" {
		return true
	}
	host, _, _ := net.SplitHostPort(a.addr)
	return host == "localhost" || host == "127.0.0.1"
}

// port is that of a TCP address, or "".
func (a address) port() string {
	_, port, _ := net.SplitHostPort(a.addr)
	return port
}

// startArgs are the adb arguments that start a server at a.
func (a address) startArgs() []string {
	if a.network == "unix" {
		spec := "localfilesystem:" + a.addr
		if name, ok := strings.CutPrefix(a.addr, "@"); ok {
			spec = "localabstract:" + name
		}
		return []string{"-L", spec, "start-server"}
	}
	return []string{"-P", a.port(), "start-server"}
}
