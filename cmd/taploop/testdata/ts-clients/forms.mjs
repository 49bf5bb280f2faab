// Takes a task to its end with all that people say in forms, through the official TypeScript client, as its user would: the phone
// is taken over and handed back, the agent's question is answered, and an action is decided about.
//
//	node forms.mjs v1|v2 stdio PROGRAM | http URL
//
// The task is in $GOAL, the answer in $ANSWER. Everything that is wrong ends it with an error.
import assert from 'node:assert/strict';
import { caller, connect } from './client.mjs';

const accept = (content) => ({ action: 'accept', content });
const user = [
	[/something to be done on the phone/, ['outcome', 'remark'], accept({ outcome: 'It is done', remark: 'it was only a look' })],
	[/[Ss]ize/, ['answer', 'instead', 'remember'], accept({})], // nothing was filled in
	[/^That answer does not fit: the answer is empty/, ['answer', 'instead', 'remember'], accept({ answer: process.env.ANSWER })],
	[/under the finger: "Add to cart"/, ['decision', 'message', 'edited_action', 'instead'], accept({ decision: 'approve' })],
];
const [sdk, transport, target] = process.argv.slice(2);
const { client, wrong } = await connect(sdk, transport, target, ({ message, requestedSchema }) => {
	const [says, fields, answer] = user.shift() ?? assert.fail(`one form too many: ${message}`);
	assert.match(message, says);
	assert.deepEqual(Object.keys(requestedSchema.properties), fields);
	return answer;
});
const { call, follow } = caller(sdk, client);

const task = { task: process.env.GOAL, reply_mode: 'elicit', wait_seconds: 0 };
const { session_id } = await call('ask_agent_start_new_task', task);
await call('ask_agent_stop', { session_id, mode: 'takeover' });
const done = await follow(await call('ask_agent_wait', { session_id }));
assert.equal(done.stop_reason, 'TASK_COMPLETED_SUCCESSFULLY', JSON.stringify(done));
assert.deepEqual(user, [], 'not all forms were shown');

assert.deepEqual(wrong, []);
await client.close();
console.log(`ok    TypeScript ${sdk} over ${transport}: forms`);
process.exit(0);
