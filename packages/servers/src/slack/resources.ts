/** Channels as resources, for people who attach what was said to a conversation. */

import { resource } from '@portico/sdk/server'
import { toList } from '../vendor/values.ts'
import { foreignText } from '../vendor/vendor-host.ts'
import { quietly } from '../vendor/vendor-service.ts'
import { messageLines, read, type SlackHost } from './host.ts'

export function createResources(host: SlackHost) {
  return {
    channel: resource(
      {
        uri: 'slack://channels/{name}',
        title: 'A channel',
        description: 'The last messages of a channel',
        mimeType: 'text/plain',
      },
      async ({ name }, ctx) => {
        const quiet = quietly(ctx)
        const { id } = await host.directory.channel(host, name, quiet)
        const answer = await read(host, 'conversations.history', { channel: id, limit: 50 }, quiet)
        const lines = messageLines([...toList(answer.messages)].reverse(), await host.directory.names(host, quiet))
        return foreignText(host, lines.join('\n'))
      },
    ),
  }
}
