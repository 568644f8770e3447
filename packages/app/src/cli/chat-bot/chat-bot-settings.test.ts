import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { slackSecretsOf } from './chat-bot-adapter.ts'
import { readChatBotSettings } from './chat-bot-settings.ts'

const read = (chatBot: unknown, scope: 'user' | 'project' = 'user') =>
  readChatBotSettings({ extras: [{ file: 'portico.json', scope, chatBot }] })

describe('the section chatBot', () => {
  it('is read as the example has it', () => {
    const file = new URL('../../../../../examples/chat-slack/portico.json', import.meta.url)
    const { chatBot } = JSON.parse(readFileSync(file, 'utf8')) as { chatBot: object }
    expect(read(chatBot)).toEqual({ settings: chatBot, problems: [], isThere: true })
  })

  it('host 25: the guide has the whole manifest of the app, for those who have the packages alone', () => {
    const root = new URL('../../../../../', import.meta.url)
    const guide = readFileSync(new URL('docs/guide/chat-slack.md', root), 'utf8')
    const [, block = ''] = /## The manifest\n\n```json\n([\s\S]*?)```/.exec(guide) ?? []
    expect(JSON.parse(block)).toEqual(
      JSON.parse(readFileSync(new URL('examples/chat-slack/manifest.json', root), 'utf8')),
    )
  })

  it.each([
    [{ port: '3100' }, 'chatBot.port must be a whole number'],
    [{ chanels: {} }, 'chatBot.chanels is not known; did you mean "channels"?'],
    [{ channels: { C1: { budget: { turns: -1 } } } }, 'chatBot.channels.C1.budget.turns must be a whole number'],
    [{ direct: true }, 'chatBot.direct must be an object'],
    [{ slack: { mode: 'rtm' } }, 'chatBot.slack.mode must be socket or http'],
    [{ limits: { deadMs: 0 } }, 'chatBot.limits.deadMs must be 1 or more'],
    [{ roles: { U1: 'lead' } }, 'chatBot.roles.U1 must be a list of texts'],
    [[], 'chatBot must be an object'],
  ])('says what is wrong with %j, and takes nothing of it (sec-507)', (section, problem) => {
    expect(read(section)).toEqual({ settings: {}, problems: [problem], isThere: true })
  })

  it.each([{ direct: false }, { state: 'memory' }, { state: { sqlite: '/x' } }])('takes %j', (section) => {
    expect(read(section).problems).toEqual([])
  })

  it('has no say in a file that a project brings along (sec-507)', () => {
    expect(read({ channels: { '*': {} } }, 'project')).toEqual({ settings: {}, problems: [], isThere: false })
  })

  it.each([
    [{ SLACK_BOT_TOKEN: 'b', SLACK_APP_TOKEN: 'a' }, {}, { mode: 'socket', botToken: 'b', appToken: 'a' }],
    [{ SLACK_BOT_TOKEN: 'b', SLACK_SIGNING_SECRET: 's' }, {}, { mode: 'http', signingSecret: 's' }],
    [
      { MINE: 'b', SLACK_APP_TOKEN: '' },
      { slack: { botToken: 'MINE' } },
      { mode: 'socket', botToken: 'b', appToken: undefined },
    ],
    [{ SLACK_APP_TOKEN: 'a', SLACK_SIGNING_SECRET: 's' }, { slack: { mode: 'http' as const } }, { mode: 'http' }],
  ])('takes tokens from variables: %j', (env, settings, expected) => {
    expect(slackSecretsOf(settings, env)).toMatchObject(expected)
  })
})
