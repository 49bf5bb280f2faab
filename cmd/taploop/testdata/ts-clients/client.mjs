// The official TypeScript clients: v1 is @modelcontextprotocol/sdk, which speaks 2025-11-25; v2 is @modelcontextprotocol/client,
// which finds out that the server speaks 2026-07-28 too.
import assert from 'node:assert/strict';

const info = { name: 'ts-trip', version: '1.0.0' };

// load gives a client with the capabilities, its transports, and how it names the request that asks its user.
async function load(sdk, capabilities) {
	if (sdk === 'v1') {
		const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
		const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
		const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
		const { ElicitRequestSchema: asks } = await import('@modelcontextprotocol/sdk/types.js');
		return { client: new Client(info, { capabilities }), asks, StdioClientTransport, StreamableHTTPClientTransport };
	}
	const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
	const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
	const client = new Client(info, { capabilities, versionNegotiation: { mode: 'auto' } });
	return { client, asks: 'elicitation/create', StdioClientTransport, StreamableHTTPClientTransport };
}

// connect gives a connected client and what went wrong outside of calls. With answer its user answers forms.
export async function connect(sdk, transport, target, answer) {
	const capabilities = answer ? { elicitation: { form: {} } } : {};
	const { client, asks, StdioClientTransport, StreamableHTTPClientTransport } = await load(sdk, capabilities);
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
	if (answer) client.setRequestHandler(asks, async (request) => answer(request.params));
	await client.connect(wire);
	return { client, wrong };
}

// caller makes calls, and follows a run until it waits or has ended.
export function caller(sdk, client, heard = []) {
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
	return { call, follow };
}
