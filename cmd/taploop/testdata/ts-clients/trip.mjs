// Takes a task through its question to its end with the official TypeScript client, as an application would:
//
//	node trip.mjs v1|v2 stdio PROGRAM | http URL
//
// v1 is @modelcontextprotocol/sdk, which speaks 2025-11-25; v2 is @modelcontextprotocol/client, which finds out that the
// server speaks 2026-07-28 too. The task is in $GOAL, the answer in $ANSWER. Everything that is wrong ends it with an error.
import assert from 'node:assert/strict';

const [sdk, transport, target] = process.argv.slice(2);
const info = { name: 'ts-trip', version: '1.0.0' };

async function load() {
	if (sdk === 'v1') {
		const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
		const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
		const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
		return { client: new Client(info), StdioClientTransport, StreamableHTTPClientTransport };
	}
	const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
	const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
	return { client: new Client(info, { versionNegotiation: { mode: 'auto' } }), StdioClientTransport, StreamableHTTPClientTransport };
}

const { client, StdioClientTransport, StreamableHTTPClientTransport } = await load();
const wire = transport === 'stdio'
	? new StdioClientTransport({ command: target, args: ['serve'], env: process.env, stderr: 'inherit' })
	: new StreamableHTTPClientTransport(new URL(target));
const wrong = [];
client.onerror = (err) => {
	// Both libraries handle a result at once and the notification in front of it a moment later: the last progress of a call,
	// when the two come in one piece, then is for a call that it has forgotten.
	if (/progress notification for an unknown token/.test(String(err))) return;
	if (!/abort/i.test(String(err))) wrong.push(err); // closing aborts the stream that listens
};
await client.connect(wire);

const heard = [];
async function call(name, args) {
	// A call takes no more than the minute that the library gives it. What the library itself checks: the result against the
	// tool's output schema.
	const options = { timeout: 60_000, onprogress: (p) => heard.push(p) };
	const params = { name, arguments: args };
	const result = sdk === 'v1' ? await client.callTool(params, undefined, options) : await client.callTool(params, options);
	assert.ok(!result.isError, JSON.stringify(result.content));
	assert.equal(result.content.length, 1);
	assert.match(result.content[0].text, /^[A-Z].*\./, 'a sentence for a person');
	return result.structuredContent;
}

async function follow(st) {
	while (st.stop_reason === 'STILL_RUNNING') st = await call(st.next.tool, st.next.arguments);
	return st;
}

const { tools } = await client.listTools();
assert.equal(tools.length, 10);
for (const tool of tools) assert.ok(tool.description.split('\n').length >= 2, `${tool.name} says too little`);

const { devices } = await call('list_connected_devices', {});
assert.equal(devices.length, 1);

const asked = await follow(await call('ask_agent_start_new_task', { task: process.env.GOAL, wait_seconds: 2 }));
assert.equal(asked.stop_reason, 'INFO_ACTION_NEEDS_REPLY');
assert.ok(heard.length >= 3, `${heard.length} progress messages`);
for (let i = 1; i < heard.length; i++) assert.ok(heard[i].progress !== undefined && heard[i].message, JSON.stringify(heard[i]));

const done = await follow(await call(asked.next.tool, { ...asked.next.arguments, reply_from_client: process.env.ANSWER }));
assert.equal(done.stop_reason, 'TASK_COMPLETED_SUCCESSFULLY', JSON.stringify(done));
assert.equal(done.global_step_idx, 8);

assert.deepEqual(wrong, []);
await client.close();
console.log(`ok    TypeScript ${sdk} over ${transport}: ${heard.length} progress messages`);
process.exit(0);
