#!/usr/bin/env node
// Starts the program of this platform's package, and ends as it does.
const { spawn } = require("child_process");
const name = `taploop-${process.platform}-${process.arch}`;
let program = process.env.TAPLOOP_BINARY;
if (!program) {
  try {
    program = require.resolve(`${name}/bin/taploop${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(`taploop: the package ${name} is not installed\n  try: install without --omit=optional; ` +
      "if there is no program for this platform, build it: https://github.com/taploop/taploop");
    process.exit(1);
  }
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (e) => { console.error(`taploop: ${e.message}`); process.exit(1); });
child.on("exit", (code, signal) => signal ? process.kill(process.pid, signal) : process.exit(code));
