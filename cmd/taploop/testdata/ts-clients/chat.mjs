// A whole task with a question, through the official openai client, streamed.
// Usage: chat.mjs BASE_URL TOKEN, with GOAL and ANSWER in the environment.
import OpenAI from 'openai'

const [baseURL, apiKey] = process.argv.slice(2)
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const messages = []

const want = (holds, what) => {
  if (!holds) throw new Error(what)
}

// turn says something, and gives what is answered, with the questions that came as frames.
async function turn(content) {
  messages.push({ role: 'user', content })
  const stream = await client.chat.completions.create({
    model: 'taploop', messages, stream: true, stream_options: { include_usage: true },
  })
  let said = '', frames = [], usage, agent, finish
  for await (const chunk of stream) {
    agent = chunk.agent_info
    usage = chunk.usage ?? usage
    for (const { delta, finish_reason } of chunk.choices) {
      said += delta.content ?? ''
      finish = finish_reason ?? finish
      const frame = delta.chatos_additional_data?.mcp_progress_notification_data
      if (frame) frames.push(JSON.parse(frame))
    }
  }
  messages.push({ role: 'assistant', content: said })
  return { said, frames, usage, agent, finish }
}

const ids = []
for await (const model of client.models.list()) ids.push(model.id)
want(ids.includes('taploop') && ids.length > 1, `the phones are not listed: ${ids}`)

const asked = await turn(process.env.GOAL)
want(asked.frames.length === 1, `no question came as a frame: ${asked.said}`)
want(asked.frames[0].params.meta.type === 'INQUIRY' && asked.said.includes(asked.frames[0].params.meta.question),
  'the question is not in the words')
want(asked.agent.run_id && asked.finish === 'stop' && asked.usage.total_tokens >= 0, 'a chunk lacks something')

const done = await turn(process.env.ANSWER)
want(done.frames.length === 0 && done.said.includes('in your size'), `the task is not done: ${done.said}`)

const refused = await client.chat.completions.create({ model: 'nosuch', messages: [{ role: 'user', content: 'x' }] })
  .then(() => null, (e) => e)
want(refused instanceof OpenAI.NotFoundError && refused.code === 'DEVICE_NOT_FOUND', `not refused as it should be: ${refused}`)
console.log('openai (npm): ok')
