/** People and requests that want more than is theirs: replays, other people's buttons, huge files, floods, budgets. */

import assert from 'node:assert/strict'
import type { Trial } from '../support/suite.ts'
import { until } from '../support/wait.ts'
import { SlackPerson } from './chat-people.ts'
import { type ChatPlace, type ChatPlaceOptions, inChat } from './chat-place.ts'
import { buttonsIn, shownIn } from './chat-slack-blocks.ts'
import { BOT } from './chat-slack-service.ts'

const WAIT_MS = 90_000
const DAY_SECONDS = 24 * 3_600

/** The trials, before a bot with these settings. */
export function hostileTrials(base: ChatPlaceOptions): readonly Trial[] {
  const bounds = {
    channels: { C1: {}, C2: { budget: { turns: 2 } } },
    limits: { perPerson: 2, perChannel: 4, fileBytes: 1_000 },
  }
  const options = { ...base, chatBot: { ...base.chatBot, ...bounds } }
  const trial = (name: string, work: (place: ChatPlace) => Promise<void>): Trial => ({
    name: `chat, hostile: ${name}`,
    long: true,
    run: () => inChat(options, work),
  })
  return [
    trial('a replay, before and after a restart, and of last week (sec-508, sec-606)', replays),
    trial('buttons of others, made up, and of before a restart (sec-501)', buttons),
    trial('files that are huge, or say that they are small (sec-509)', hugeFiles),
    trial('a thread that is flooded by many people (sec-505)', threadFlood),
    trial('a budget of a channel, used by two at once and kept over a restart (sec-506)', budgets),
  ]
}

/** The same event with the same id, however often and by whichever process. */
async function replays({ ada, ben, slack, notes, kill, start }: ChatPlace): Promise<void> {
  const ts = slack.stamp()
  const event = {
    type: 'app_mention',
    channel: 'C1',
    user: 'U1ADA',
    user_team: BOT.team,
    ts,
    text: `<@${BOT.user}> draw it`,
  }
  const payload = { type: 'event_callback', team_id: BOT.team, event_id: 'Ev0001', event }
  await slack.deliver('events_api', payload)
  await ada.sees(ts, 'Here it is.')
  await slack.deliver('events_api', payload)
  // One after the other in a thread: once this is answered, the first is over.
  await ada.say('hello', { thread: ts })
  await ada.sees(ts, 'The result is there.')
  await kill()
  await start()
  await slack.deliver('events_api', payload)
  await slack.deliver('events_api', { ...payload, event_id: 'Ev0002' })
  const old = `${Math.floor(Date.now() / 1000) - 7 * DAY_SECONDS}.000100`
  await slack.deliver('events_api', { ...payload, event: { ...event, ts: old, text: `<@${BOT.user}> write for me` } })
  const { thread } = await ben.say('hello')
  await ben.sees(thread, 'Hello from the bot.')
  assert.equal(slack.uploads.length, 1, 'done once')
  assert.deepEqual(ada.reads(old), [], 'last week is not answered')
  assert.doesNotMatch(notes(), /one line/)
}

async function buttons({ ada, ben, slack, notes, kill, start }: ChatPlace): Promise<void> {
  const { thread } = await ada.say('write for me')
  const question = await ada.sees(thread, 'Call "write" of "lab"?')
  const [{ value } = { value: '' }] = buttonsIn(question)
  // Of the same id, in another workspace.
  const namesake = new SlackPerson(slack, 'U1ADA', 'T9')
  for (const stranger of [ben, namesake]) await stranger.pressValue(question, value)
  await ben.sees(thread, 'for somebody else')
  for (const made of ['', value.slice(1), `${value}x`, '__proto__', 'x'.repeat(1_900)])
    await ada.pressValue(question, made)
  await ada.sees(thread, 'no longer waits')
  assert.doesNotMatch(notes(), /one line/)
  await kill()
  await start()
  await ada.pressValue(question, value)
  await ada.sees(thread, 'no longer waits')
  const { thread: next } = await ben.say('hello')
  await ben.sees(next, 'Hello from the bot.')
  assert.doesNotMatch(notes(), /one line/, 'a button of an earlier process means nothing')
}

async function hugeFiles({ ada, slack, provider }: ChatPlace): Promise<void> {
  const big = 'q'.repeat(50_000)
  const open = slack.addFile('open.txt', 'text/plain', Buffer.from(big))
  const liar = { ...slack.addFile('liar.txt', 'text/plain', Buffer.from(big)), size: 10 }
  const gone = { id: 'F0000000', name: 'gone.txt', mimetype: 'text/plain', size: 10 }
  const many = Array.from({ length: 60 }, () => slack.addFile('few.txt', 'text/plain', Buffer.from('few words')))
  const { thread } = await ada.say('read the file', { files: [open, liar, gone, ...many] })
  await ada.sees(thread, 'I have read it.')
  const told = ada.reads(thread).map(shownIn).join('\n')
  for (const name of ['open.txt', 'liar.txt', 'gone.txt'])
    assert.match(told, new RegExp(`I did not read the file ${name}`))
  assert.match(told, /I read the first 5 files only/)
  assert.doesNotMatch(JSON.stringify(provider.requests), /qqq/)
}

/** Six people, ten messages each, in one thread: the share of each and of the channel holds, and another channel is answered. */
async function threadFlood({ ada, ben, slack, provider }: ChatPlace): Promise<void> {
  const crowd = Array.from({ length: 6 }, (_, at) => new SlackPerson(slack, `U${at}CROWD`))
  const { thread } = await ada.say('wait for it')
  const said = crowd.flatMap((person) =>
    Array.from({ length: 10 }, (_, at) => person.say(`flood ${person.id} ${at}`, { thread })),
  )
  await Promise.all(said)
  const other = await ben.say('hello', { channel: 'C2' })
  await ben.sees(other.thread, 'Hello from the bot.', 'C2')
  const asked = (): number => new Set(JSON.stringify(provider.requests).match(/flood \w+ \d+/g)).size
  await until(() => asked() >= 1, 'what was taken', WAIT_MS)
  const refused = slack.messages.filter((one) => /more than I can take|too much going on/.test(shownIn(one)))
  assert.ok(asked() <= 2 * crowd.length, `${asked()} of 60 were answered`)
  assert.ok(refused.length >= 1 && refused.length <= 2 * crowd.length, `told ${refused.length} times`)
  assert.ok(
    refused.every((one) => one.only !== undefined),
    'said to each alone',
  )
}

async function budgets({ ada, ben, slack, provider, kill, start }: ChatPlace): Promise<void> {
  const both = await Promise.all([ada, ben, ada].map((person) => person.say('hello', { channel: 'C2' })))
  const answers = (): number =>
    slack.messages.filter((one) => one.channel === 'C2' && shownIn(one).includes('Hello from the bot.')).length
  const refusals = (): number =>
    slack.messages.filter((one) => one.channel === 'C2' && shownIn(one).includes('used up its messages')).length
  await until(() => answers() === 2 && refusals() === 1, 'two of three are answered', WAIT_MS)
  assert.equal(both.length, 3)
  await kill()
  await start()
  const asked = provider.requests.length
  const { thread } = await ben.say('hello again', { channel: 'C2' })
  await ben.sees(thread, 'used up its messages for today', 'C2')
  assert.equal(provider.requests.length, asked, 'a restart gives nothing back')
}
