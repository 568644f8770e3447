/** Resources of the server under test: text, bytes, JSON, one that asks, and a template with completion. */

import { resource } from '@portico/sdk/server'
import { z } from 'zod'
import { BYTES, completeTab, completeUser, isUser, listUsers, TEMPLATE } from '../vocabulary.ts'
import type { Counts } from './counts.ts'

const nickname = z.object({ nickname: z.string() })

export function createResources(counts: Counts) {
  return {
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
        uri: TEMPLATE,
        description: 'One user',
        mimeType: 'application/json',
        complete: { id: completeUser, tab: completeTab },
        list: listUsers,
      },
      ({ id, tab }) => (isUser(id) ? { id, tab: tab ?? null } : undefined) as object,
    ),
    cached: resource({ uri: 'note://cached', cache: { ttlMs: 60_000, scope: 'public' } }, async () =>
      String(await counts.add('reads')),
    ),
  }
}
