#!/usr/bin/env python3
"""Packs the programs that goreleaser has built: npm packages, wheels, a bundle for desktop clients,
container images.

The same programs give the same bytes: times are SOURCE_DATE_EPOCH, names are sorted.
"""
import base64, gzip, hashlib, io, json, os, pathlib, subprocess, sys, tarfile, time, zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
VERSION = sys.argv[1]
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
WORDS = "Hands tasks to Android phones: a vision model looks and decides, and people are asked."
HOME = "https://github.com/taploop/taploop"
NODE = {"linux": "linux", "darwin": "darwin", "windows": "win32"}
CPU = {"amd64": "x64", "arm64": "arm64"}
WHEEL = {
    "linux/amd64": "manylinux2014_x86_64.musllinux_1_1_x86_64", "linux/arm64": "manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
}


def programs():
    """The platform, the file and its name without the platform, for each program that goreleaser has built."""
    built = [a for a in json.loads(read("dist", "goreleaser", "artifacts.json")) if a["type"] == "Binary"]
    for a in sorted(built, key=lambda a: a["path"]):
        yield a["goos"], a["goarch"], ROOT / a["path"], a["name"]


def tarred(files):
    """files: {name: (bytes, mode)}; a name with a slash at its end is a folder, whose bytes are its owner."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for name, (content, mode) in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.mode, info.mtime = mode, EPOCH
            if name.endswith("/"):
                info.type, info.uid, info.gid = tarfile.DIRTYPE, int(content), int(content)
            else:
                info.size = len(content)
            t.addfile(info, io.BytesIO(content))
    return out.getvalue()


def packed(content):
    return gzip.compress(content, 9, mtime=EPOCH)


def tar(path, files):
    path.write_bytes(packed(tarred(files)))


def zipped(path, files):
    when = time.gmtime(max(EPOCH, 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, (content, mode) in files:
            info = zipfile.ZipInfo(name, when)
            info.external_attr = (0o100000 | mode) << 16
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, content)


def read(*parts):
    return (ROOT.joinpath(*parts)).read_bytes()


def text(value):
    return (json.dumps(value, indent=2) + "\n").encode()


def npm():
    """A package with a program for each platform, and one that finds the right one. There is no install script."""
    folder = DIST / "npm"
    folder.mkdir()
    common = {"version": VERSION, "description": WORDS, "license": "Apache-2.0", "homepage": HOME,
              "repository": {"type": "git", "url": "git+" + HOME + ".git"}}
    optional = {}
    for system, cpu, path, name in programs():
        package = f"taploop-{NODE[system]}-{CPU[cpu]}"
        optional[package] = VERSION
        meta = {"name": package, **common, "os": [NODE[system]], "cpu": [CPU[cpu]], "files": ["bin"]}
        tar(folder / f"{package}-{VERSION}.tgz", {
            "package/package.json": (text(meta), 0o644), "package/bin/" + name: (path.read_bytes(), 0o755),
            "package/LICENSE": (read("LICENSE"), 0o644)})
    meta = {"name": "taploop", **common, "bin": {"taploop": "taploop.js"}, "files": ["taploop.js"],
            "engines": {"node": ">=16"}, "optionalDependencies": optional, "mcpName": "io.github.taploop/taploop"}
    tar(folder / f"taploop-{VERSION}.tgz", {
        "package/package.json": (text(meta), 0o644), "package/taploop.js": (read("scripts/packaging", "taploop.js"), 0o755),
        "package/README.md": (read("README.md"), 0o644), "package/LICENSE": (read("LICENSE"), 0o644)})


def wheels():
    """Wheels whose script is the program itself: uvx taploop, pip install taploop."""
    folder = DIST / "pypi"
    folder.mkdir()
    for system, cpu, path, name in programs():
        tag = "py3-none-" + WHEEL[f"{system}/{cpu}"]
        info = f"taploop-{VERSION}.dist-info"
        tags = "".join(f"Tag: py3-none-{one}\n" for one in WHEEL[f"{system}/{cpu}"].split("."))
        files = [
            (f"taploop-{VERSION}.data/scripts/{name}", (path.read_bytes(), 0o755)),
            (info + "/METADATA", ((f"Metadata-Version: 2.1\nName: taploop\nVersion: {VERSION}\nSummary: {WORDS}\n"
                                   f"Home-page: {HOME}\nLicense: Apache-2.0\nRequires-Python: >=3.7\n"
                                   "Description-Content-Type: text/markdown\n\n").encode() + read("README.md"), 0o644)),
            (info + "/WHEEL", (f"Wheel-Version: 1.0\nGenerator: taploop\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644)),
            (info + "/licenses/LICENSE", (read("LICENSE"), 0o644)),
        ]
        record = ""
        for file, (content, _) in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{file},sha256={digest},{len(content)}\n"
        files.append((info + "/RECORD", ((record + info + "/RECORD,,\n").encode(), 0o644)))
        zipped(folder / f"taploop-{VERSION}-{tag}.whl", files)


def bundle():
    """The .mcpb bundle: desktop clients install it with one click."""
    server, overrides = [], {}
    for system, cpu, path, name in programs():
        if cpu == "amd64" or system == "darwin" and cpu == "arm64":
            inside = f"server/{system}/{name}"
            server = [f for f in server if f[0] != inside]  # macOS: the newer machines' program
            server.append((inside, (path.read_bytes(), 0o755)))
            overrides[NODE[system]] = {"command": "${__dirname}/" + inside, "args": ["serve"]}
    first = server[0][0]
    manifest = {
        "manifest_version": "0.3", "name": "taploop", "version": VERSION, "description": WORDS,
        "author": {"name": "taploop"}, "homepage": HOME, "license": "Apache-2.0",
        "server": {"type": "binary", "entry_point": first, "mcp_config": {
            "command": "${__dirname}/" + first, "args": ["serve"], "env": {},
            "platform_overrides": overrides}},
        "compatibility": {"platforms": sorted(overrides)},
    }
    zipped(DIST / f"taploop-{VERSION}.mcpb", [("manifest.json", (text(manifest), 0o644))] + server)


def needs(folder):
    """The libraries in a folder that adb is linked with, and those that these are linked with."""
    there = {f.name: f.read_bytes() for f in (folder / "lib").iterdir()}
    found, left = {}, [(folder / "bin/adb").read_bytes()]
    while left:
        by = left.pop()
        for name in there.keys() - found.keys():
            if name.encode() + b"\0" in by:
                found[name] = there[name]
                left.append(there[name])
    return found


def images():
    """A container image for each Linux, of adb and the program alone: an OCI archive that docker load takes too."""
    for system, cpu, path, name in programs():
        if system != "linux":
            continue
        if subprocess.run([ROOT / "scripts/setup", cpu]).returncode:
            print(f"no image for {cpu}: adb for it cannot be fetched", file=sys.stderr)
            continue
        folder = ROOT / ".cache" / f"image-{cpu}"
        zones = subprocess.run([os.environ["GO"], "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip()
        base = {f"usr/lib/{lib}": (content, 0o755) for lib, content in needs(folder).items()} | {
            "usr/bin/adb": ((folder / "bin/adb").read_bytes(), 0o755),
            "etc/passwd": (b"root:x:0:0::/:/sbin/nologin\ntaploop:x:10001:10001::/data:/sbin/nologin\n", 0o644),
            "etc/ssl/certs/ca-certificates.crt": ((folder / "certificates").read_bytes(), 0o644),
            "usr/share/zoneinfo.zip": ((pathlib.Path(zones) / "lib/time/zoneinfo.zip").read_bytes(), 0o644),
            "usr/share/doc/adb/packages": ((folder / "packages").read_bytes(), 0o644),
            "data/": (b"10001", 0o700), "tmp/": (b"0", 0o1777)}
        loader = (folder / "loader").read_text().strip().lstrip("/")
        base[loader] = base.pop("usr/lib/" + loader.rsplit("/", 1)[-1])
        image(DIST / f"taploop-{VERSION}-image-{cpu}.tar", cpu, [base, {"usr/bin/" + name: (path.read_bytes(), 0o755)}])


def image(path, cpu, layers):
    blobs = {}

    def blob(kind, content):
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = (content, 0o644)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": "sha256:" + digest, "size": len(content)}

    tars = [tarred(files) for files in layers]
    entries = [blob("layer.v1.tar+gzip", packed(t)) for t in tars]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    config = blob("config.v1+json", text({
        "architecture": cpu, "os": "linux", "created": when,
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(t).hexdigest() for t in tars]},
        "history": [{"created": when, "created_by": "make dist"} for _ in tars],
        "config": {
            "User": "10001:10001", "WorkingDir": "/data", "Volumes": {"/data": {}}, "ExposedPorts": {"8702/tcp": {}},
            "Env": ["PATH=/usr/bin", "HOME=/data", "TAPLOOP_DATA_DIR=/data", "TAPLOOP_HTTP_ADDR=0.0.0.0:8702",
                    "ZONEINFO=/usr/share/zoneinfo.zip"],
            "Entrypoint": ["taploop"], "Cmd": ["serve", "--http"],
            "Healthcheck": {"Test": ["CMD", "taploop", "serve", "--health"], "StartPeriod": 10 * 10**9},
            "Labels": {"org.opencontainers.image.source": HOME, "org.opencontainers.image.version": VERSION,
                       "org.opencontainers.image.licenses": "Apache-2.0"}}}))
    manifest = blob("manifest.v1+json", text({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": entries}))
    manifest["annotations"] = {"org.opencontainers.image.ref.name": "taploop:" + VERSION}
    file = lambda d: "blobs/sha256/" + d["digest"].removeprefix("sha256:")
    path.write_bytes(tarred(blobs | {
        "oci-layout": (text({"imageLayoutVersion": "1.0.0"}), 0o644),
        "index.json": (text({"schemaVersion": 2, "manifests": [manifest]}), 0o644),
        "manifest.json": (text([{"Config": file(config), "RepoTags": ["taploop:" + VERSION],
                                 "Layers": [file(e) for e in entries]}]), 0o644)}))


def registry():
    """server.json for the MCP registry, with this version."""
    entry = json.loads(read("scripts/packaging", "server.json"))
    entry["version"] = VERSION
    for p in entry["packages"]:
        p["version"] = VERSION
    (DIST / "server.json").write_bytes(text(entry))


def checksums():
    """Those of all files, goreleaser's included."""
    lines = read("dist", "goreleaser", "checksums.txt").decode().replace("  ", "  goreleaser/")
    for path in sorted(DIST.rglob("*")):
        if path.suffix in (".tgz", ".whl", ".mcpb", ".tar"):
            lines += f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(DIST)}\n"
    (DIST / "checksums.txt").write_text(lines)


for step in (npm, wheels, bundle, images, registry, checksums):
    step()
