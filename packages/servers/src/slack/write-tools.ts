/** The tools that change something; each shows the user all that would be sent, and asks. */

import { tool } from '@portico/sdk/server'
import { toObject, toText } from '../vendor/values.ts'
import { type Context, change, WRITES } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { SlackHost } from './host.ts'
import { toSlack } from './marked-text.ts'
import { CHANNEL_INPUT, TS_INPUT } from './read-tools.ts'

export function createWriteTools(host: SlackHost) {
  return { post_message: postMessage(host), add_reaction: addReaction(host) }
}

function postMessage(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      channel: CHANNEL_INPUT,
      text: { type: 'string', minLength: 1, maxLength: 4000, description: 'Plain text; it mentions nobody' },
      thread: { ...TS_INPUT, description: 'Answers in the thread of this message' },
    },
    required: ['channel', 'text'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Post a message', description: 'Posts a message or a reply, after the user has agreed', input, ...WRITES },
    async ({ channel, text, thread }, ctx: Context) => {
      const { id, name } = await host.directory.channel(host, channel, ctx)
      const body = {
        channel: id,
        text: toSlack(text),
        // Slack would make links and mentions of names and addresses by itself.
        parse: 'none',
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
        ...(thread !== undefined && { thread_ts: thread }),
      }
      const question = `Post this to #${name} (${id})${thread === undefined ? '' : `, in the thread ${thread}`}?`
      return change(
        host,
        { question, method: 'POST', path: pathOf`/chat.postMessage`, body, shown: text },
        ctx,
        ({ json }) => {
          return `message ${toText(toObject(json).ts)} in #${name}`
        },
      )
    },
  )
}

function addReaction(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      channel: CHANNEL_INPUT,
      message: TS_INPUT,
      name: { type: 'string', pattern: '^[a-z0-9_+-]{1,60}$', description: 'The name of an emoji, without colons' },
    },
    required: ['channel', 'message', 'name'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'React', description: 'Adds a reaction to a message, after the user has agreed', input, ...WRITES },
    async ({ channel, message, name }, ctx: Context) => {
      const { id, name: where } = await host.directory.channel(host, channel, ctx)
      const body = { channel: id, timestamp: message, name }
      const question = `React with :${name}: to ${message} in #${where} (${id})?`
      return change(host, { question, method: 'POST', path: pathOf`/reactions.add`, body }, ctx, () => `:${name}:`)
    },
  )
}
