import type { LoadedConfig } from '@portico/host/config'
import { expect, it } from 'vitest'
import { examineChatBot } from './examine-chat-bot.ts'

type Check = { readonly status: string; readonly what: string; readonly detail: string; readonly remedy?: string }
type Parts = Partial<Pick<LoadedConfig, 'extras' | 'untrusted'>>

async function examine(parts: Parts, env: { readonly [name: string]: string } = {}): Promise<Check[]> {
  // Of the configuration and the terminal no more is looked at.
  const config = { extras: [], untrusted: [], ...parts } as unknown as LoadedConfig
  const io = { env } as unknown as Parameters<typeof examineChatBot>[1]
  const found: Check[] = []
  for await (const check of examineChatBot(config, io)) found.push(check)
  return found
}

const section = (chatBot: object, scope: 'user' | 'project' = 'user') => [{ file: 'portico.json', scope, chatBot }]
const TOKENS = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' }
const AWAY = { channels: { C1: {} }, slack: { base: 'http://127.0.0.1:1/api' } }

it('host 25: says nothing where there is no bot', async () => {
  expect(await examine({})).toEqual([])
})

it.each([
  ['nobody trusted', { untrusted: [{ file: 'p.json', content: '{ "chatBot" : {} }', digest: '', servers: [] }] }],
  ['a project brings along', { extras: [{ file: 'p.json', scope: 'project' as const, chatBot: {} }] }],
])('host 25: says that a file has no say which %s (sec-507)', async (_, parts) => {
  expect(await examine(parts)).toMatchObject([
    {
      status: 'note',
      detail: expect.stringContaining('p.json is not used'),
      remedy: expect.stringContaining('--config'),
    },
  ])
})

it.each([
  ['a member that is misspelt', { chanels: {} }, {}, 'fail', /did you mean "channels"/, /Mend/],
  ['no channel', {}, {}, 'note', /in no channel/, /chatBot\.channels/],
  ['no tokens', AWAY, {}, 'fail', /SLACK_BOT_TOKEN and SLACK_APP_TOKEN not set/, /variables/],
  ['no network', AWAY, TOKENS, 'fail', /could not be reached at 127\.0\.0\.1:1: /, /network/],
] as const)('host 25: %s', async (_, chatBot, env, status, detail, remedy) => {
  expect(await examine({ extras: section(chatBot) }, env)).toContainEqual(
    expect.objectContaining({
      status,
      detail: expect.stringMatching(detail),
      remedy: expect.stringMatching(remedy),
    }),
  )
})
