/** Resources of the server under test: text, bytes, JSON, one that asks, and a template with completion. */

import { resource } from '@portico/sdk/server'
import { z } from 'zod'

const BYTES = Uint8Array.from({ length: 256 }, (_, at) => at)
export const USERS = ['ada', 'alan', 'grace']

const nickname = z.object({ nickname: z.string() })

export const resources = {
  welcome: resource(
    {
      uri: 'note://welcome',
      title: 'Welcome',
      description: 'Words at the door',
      mimeType: 'text/plain',
      size: 7,
      annotations: { audience: ['assistant'], priority: 1 },
    },
    () => 'welcome',
  ),
  bytes: resource({ uri: 'note://bytes', mimeType: 'application/octet-stream' }, () => BYTES),
  settings: resource({ uri: 'note://settings' }, () => ({ theme: 'dark' })),
  secret: resource({ uri: 'note://secret', mimeType: 'text/plain' }, async (_, ctx) => {
    const answer = await ctx.elicit('nickname', { message: 'Who reads this?', form: nickname })
    return answer.action === 'accept' ? `for ${answer.content.nickname}` : 'for nobody'
  }),
  user: resource(
    {
      uri: 'users://{id}/profile{?tab}',
      description: 'One user',
      mimeType: 'application/json',
      complete: {
        id: (value) => USERS.filter((user) => user.startsWith(value)),
        tab: (value, chosen) => [`${chosen.id ?? 'nobody'}-posts`, `${chosen.id ?? 'nobody'}-likes`].filter((tab) => tab.includes(value)),
      },
      list: () => USERS.map((id) => ({ uri: `users://${id}/profile`, name: `user ${id}` })),
    },
    ({ id, tab }) => (USERS.includes(id) || id.includes(' ') ? { id, tab: tab ?? null } : undefined) as object,
  ),
}
