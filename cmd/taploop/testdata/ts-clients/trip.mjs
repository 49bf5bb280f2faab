// Takes a task through its question to its end with the official TypeScript client, as an application would:
//
//	node trip.mjs v1|v2 stdio PROGRAM | http URL
//
// The task is in $GOAL, the answer in $ANSWER. Everything that is wrong ends it with an error.
import assert from 'node:assert/strict';
import { caller, connect } from './client.mjs';

const [sdk, transport, target] = process.argv.slice(2);
const { client, wrong } = await connect(sdk, transport, target);
const heard = [];
const { call, follow } = caller(sdk, client, heard);

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
