// Calls a tool of a server that knows only versions with a handshake, through taploop's proxy, with the official TypeScript
// client that asks for 2026-07-28 first and has to fall back:
//
//	node fallback.mjs stdio PROGRAM | http URL
import assert from 'node:assert/strict';
import { connect } from './client.mjs';

const [transport, target] = process.argv.slice(2);
const { client, wrong } = await connect('v2', transport, target);
assert.match(client.getNegotiatedProtocolVersion(), /^2025-/);
const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
assert.deepEqual(content, [{ type: 'text', text: 'Echo: hello' }]);
assert.deepEqual(wrong, []);
await client.close();
console.log(`ok    TypeScript v2 falls back behind the proxy over ${transport}`);
process.exit(0);
