#!/usr/bin/env python3
"""An npm registry and a package index of what make dist has made, on loopback: prints its address, and serves until stdin ends."""
import hashlib, http.server, json, pathlib, sys, tarfile, threading

DIST = pathlib.Path(__file__).resolve().parents[2] / "dist"


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.strip("/")
        file = next((f for f in DIST.glob("*/*") if f.name == path.rsplit("/", 1)[-1] and f.suffix in (".tgz", ".whl")), None)
        if file:
            self.answer(file.read_bytes(), "application/octet-stream")
        elif path == "simple/taploop":
            links = "".join(f'<a href="/files/{f.name}">{f.name}</a>' for f in DIST.glob("pypi/*.whl"))
            self.answer(f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html")
        elif package := packages().get(path):
            self.answer(json.dumps(package).replace("ADDRESS", self.headers["Host"]).encode(), "application/json")
        else:
            self.send_error(404)

    def answer(self, content, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def packages():
    found = {}
    for file in DIST.glob("npm/*.tgz"):
        with tarfile.open(file) as t:
            meta = json.load(t.extractfile("package/package.json"))
        sum = hashlib.sha1(file.read_bytes()).hexdigest()
        meta["dist"] = {"tarball": f"http://ADDRESS/files/{file.name}", "shasum": sum}
        found[meta["name"]] = {"name": meta["name"], "dist-tags": {"latest": meta["version"]}, "versions": {meta["version"]: meta}}
    return found


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
