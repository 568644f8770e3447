/**
 * `portico chat-bot slack` as a process, before a service of Slack's shape: two people at once, approvals, floods, a process that is
 * killed, edits and deletions, files both ways, hostile texts, both modes.
 */

import assert from 'node:assert/strict'
import type { Script } from '@portico/host/model'
import type { Trial } from '../support/suite.ts'
import { until } from '../support/wait.ts'
import { hostileTrials } from './chat-hostile.ts'
import { HOSTILE_WORDS } from './chat-hostile-words.ts'
import { drawThread, toSaid } from './chat-picture.ts'
import { type ChatPlace, type ChatPlaceOptions, inChat } from './chat-place.ts'
import { signInTrial } from './chat-sign-in.ts'
import { buttonsIn, meaningsIn, shownIn } from './chat-slack-blocks.ts'
import { BOT } from './chat-slack-service.ts'
import { keepDrawing } from './drawing.ts'

const call = (name: string, args = {}) => ({ calls: [{ name: `lab_${name}`, arguments: args }] })
const SCRIPT: Script = {
  replies: [{ text: 'Hello from the bot.' }],
  topics: {
    'write for me': [call('write', { text: 'one line' }), { text: 'It is written.' }],
    'the dangerous one': [call('danger'), { text: 'So much for that.' }],
    'say hostile things': [call('hostile'), { text: HOSTILE_WORDS }],
    'ask me': [call('ask'), { text: 'I have asked.' }],
    'wait for it': [call('wait'), { text: 'Waited.' }],
    'draw it': [call('draw'), { text: 'Here it is.' }],
    'read the file': [{ text: 'I have read it.' }],
    'build it': [call('build'), { text: 'I am having it built.' }],
    'talk long': [{ text: 'word '.repeat(400) }],
  },
  afterwards: 'The result is there.',
  paceMs: 0,
}
const LET = (...items: string[]) => ({
  id: 'let',
  outcome: 'allow',
  effect: ['call', 'flow'],
  item: items,
  evenIfTainted: true,
})
const POLICY = {
  policy: {
    rules: [
      LET('hostile', 'ask', 'wait', 'draw', 'build'),
      {
        id: 'admins',
        outcome: 'allow',
        effect: 'call',
        item: 'danger',
        principal: { roles: ['admin'] },
        evenIfTainted: true,
      },
      { id: 'others', outcome: 'deny', effect: 'call', item: 'danger', principal: { id: 'slack:T1:U2BEN' } },
    ],
  },
}
const BASE: ChatPlaceOptions = { script: SCRIPT, config: POLICY, chatBot: { roles: { U1ADA: ['admin'] } } }

export const trials: readonly Trial[] = [
  {
    name: 'chat: two people, approvals, hostile texts, files and tasks in socket mode',
    run: () =>
      inChat(BASE, async (place) => {
        await twoPeople(place)
        await approvals(place)
        await hostileTexts(place)
        await forms(place)
        await files(place)
        await editsAndDeletions(place)
      }),
  },
  {
    name: 'chat: strangers, and a connection that is lost',
    long: true,
    run: () =>
      inChat(BASE, async (place) => {
        await strangers(place)
        await reconnects(place)
      }),
  },
  {
    name: 'chat: a flood, budgets and rate limits',
    long: true,
    run: () =>
      inChat(
        { ...BASE, chatBot: { channels: { C1: {}, C2: { budget: { turns: 2 } } }, limits: { perPerson: 3 } } },
        flood,
      ),
  },
  { name: 'chat: killed in the middle of a turn', run: () => inChat(BASE, killed) },
  {
    name: 'chat: over HTTP, with forged, old and repeated requests',
    long: true,
    run: () => inChat({ ...BASE, http: true }, overHttp),
  },
  { name: 'chat: a task that goes on by itself', long: true, run: () => inChat(BASE, task) },
  signInTrial,
  ...hostileTrials(BASE),
]

/** Different rights at the same time: each is judged as who they are, in a host of their own. */
async function twoPeople({ ada, ben, notes }: ChatPlace): Promise<void> {
  const [one, other] = await Promise.all([ada.say('the dangerous one'), ben.say('the dangerous one')])
  await Promise.all([ada.sees(one.thread, 'So much for that.'), ben.sees(other.thread, 'So much for that.')])
  assert.equal(notes().match(/danger/g)?.length, 1, 'one of them may')
}

async function approvals({ ada, ben, notes, slack }: ChatPlace): Promise<void> {
  const { thread } = await ada.say('write for me')
  const question = await ben.sees(thread, 'Call "write" of "lab"?')
  assert.match(shownIn(question), /"text": "one line"[\s\S]*Digest [0-9a-f]{16}/)
  await ben.press(question, 'Allow')
  await ben.sees(thread, 'for somebody else')
  assert.ok(!ada.reads(thread).some((one) => shownIn(one).includes('for somebody else')), 'said to the other alone')
  await ada.pressValue(question, 'made-up')
  await ada.sees(thread, 'no longer waits')
  assert.doesNotMatch(notes(), /one line/)
  const asked = { by: 'Ada', words: '@portico write for me', buttons: [], only: false }
  const shown = [
    asked,
    toSaid(question),
    ...ben
      .reads(thread)
      .filter(({ only }) => only === ben.id)
      .map(toSaid),
  ]
  await keepDrawing('slack-approval', () => drawThread(shown))
  await ada.press(question, 'Allow')
  await ada.sees(thread, 'It is written.')
  const read = ada.reads(thread).filter(({ only }) => only === undefined)
  await until(() => read.every((one) => buttonsIn(one).length === 0), 'all is answered')
  await keepDrawing('slack-answer', () => drawThread([asked, ...read.map(toSaid)]))
  assert.equal(notes().match(/one line/g)?.length, 1)
  await until(() => buttonsIn(question).length === 0, 'the buttons are gone')
  assert.match(shownIn(question), /@U1ADA.*allowed it/)
  assert.ok(
    slack.messages.every((one) => one.thread !== undefined),
    'all of it is in threads',
  )
}

/** Whatever the model, a server's result or its form says, it is text. */
async function hostileTexts({ ada, slack }: ChatPlace): Promise<void> {
  const { thread } = await ada.say('say hostile things')
  const answer = await ada.sees(thread, 'evil.example')
  await until(() => buttonsIn(answer).length === 0, 'the end of the answer')
  assert.deepEqual(meaningsIn(answer), [])
  assert.match(shownIn(answer), /<!channel>/)
  assert.match(shownIn(answer), /⟦U\+202E⟧/)
  for (const message of slack.messages) {
    const own = /^(user U1ADA|user U2BEN|button (Allow|Allow in this thread|Deny|Stop|Answer|Decline))$/
    assert.deepEqual(
      meaningsIn(message).filter((one) => !own.test(one)),
      [],
      shownIn(message),
    )
  }
}

async function forms({ ada, ben, notes, slack }: ChatPlace): Promise<void> {
  const { thread } = await ada.say('ask me')
  const question = await ada.sees(thread, 'asks you something')
  assert.deepEqual(meaningsIn(question).sort(), ['button Answer', 'button Decline', 'user U1ADA'])
  await ben.press(question, 'Answer')
  await ben.sees(thread, 'for somebody else')
  assert.equal(slack.views.length, 0)
  await ada.press(question, 'Answer')
  await until(() => slack.views.length === 1, 'the form')
  const view = { blocks: [slack.views[0]?.view ?? {}], text: '' }
  assert.deepEqual(meaningsIn(view), [])
  assert.deepEqual(await ada.submit({ f0: { value: '' } }), {
    response_action: 'errors',
    errors: { f0: 'This field is required.' },
  })
  assert.equal(await ada.submit({ f0: { value: 'Ada' }, f1: { selected_option: { value: '1' } } }), undefined)
  await ada.sees(thread, 'I have asked.')
  assert.match(notes(), /"name":"Ada","mood":"<!here>"/)
}

async function files({ ada, slack, provider }: ChatPlace): Promise<void> {
  const plan = slack.addFile('plan.txt', 'text/plain', Buffer.from('buy seven lamps'))
  const program = slack.addFile('run.sh', 'application/x-sh', Buffer.from('rm -rf /'))
  const { thread } = await ada.say('read the file', { files: [plan, program] })
  await ada.sees(thread, 'I have read it.')
  assert.match(JSON.stringify(provider.requests.at(-1)?.messages), /buy seven lamps/)
  assert.doesNotMatch(JSON.stringify(provider.requests), /rm -rf/)
  await ada.sees(thread, 'run.sh: it is of a kind that is not taken')
  const drawn = await ada.say('draw it')
  await ada.sees(drawn.thread, 'One file of the tools')
  assert.deepEqual(
    slack.uploads.map(({ name, thread: at }) => [name, at]),
    [['lab_draw.png', drawn.thread]],
  )
}

async function editsAndDeletions({ ada, notes }: ChatPlace): Promise<void> {
  const sent = await ada.say('wait for it')
  await until(() => notes().includes('wait begins'), 'the call', 90_000)
  await ada.edit(sent, 'something else')
  await ada.sees(sent.thread, 'I answer it as it was')
  await ada.remove(sent)
  await ada.sees(sent.thread, 'Cancelled: the message was deleted.')
  await until(() => notes().includes('wait cancelled'), 'the server is told', 90_000)
}

/** Bots, ourselves, other workspaces and other channels are not answered. */
async function strangers({ ada, ben, slack, provider }: ChatPlace): Promise<void> {
  const before = provider.requests.length
  const posted = slack.messages.length
  await ada.say('from a bot', { more: { bot_id: 'B9' } })
  await ada.say('from an app', { more: { app_id: 'A9' } })
  await ada.say('ourselves', { more: { user: BOT.user } })
  await slack.event({
    type: 'message',
    subtype: 'channel_join',
    channel: 'C1',
    user: 'U1ADA',
    ts: slack.stamp(),
    text: 'x',
  })
  assert.equal(slack.messages.length, posted, 'nothing is said about those')
  const other = await ben.say('elsewhere', { channel: 'C9' })
  await ben.sees(other.thread, 'I do not answer in this channel', 'C9')
  const guest = await ada.say('from elsewhere', { more: { user_team: 'T9' } })
  await ada.sees(guest.thread, 'people of other workspaces')
  assert.equal(provider.requests.length, before)
}

async function reconnects({ ada, slack }: ChatPlace): Promise<void> {
  slack.disconnect()
  const sent = await ada.say('hello in private', { channel: 'D1' })
  await ada.sees('', 'Hello from the bot.', 'D1')
  assert.equal(sent.channel, 'D1')
}

async function flood({ ada, ben, slack, provider }: ChatPlace): Promise<void> {
  slack.limits.set('chat.update', 2)
  slack.limits.set('chat.postMessage', 5)
  const sent = await Promise.all(Array.from({ length: 40 }, (_, at) => ada.say(`talk long ${at}`)))
  const { thread } = await ben.say('hello')
  await ben.sees(thread, 'Hello from the bot.')
  const told = slack.messages.filter((one) => shownIn(one).includes('more than I can take'))
  assert.equal(told.length, 1, 'told once')
  assert.equal(told[0]?.only, 'U1ADA')
  const asked = (): number => new Set(JSON.stringify(provider.requests).match(/talk long \d+/g)).size
  await until(() => asked() >= 3, 'what was taken', 90_000)
  const answered = sent.filter(({ thread: one }) => ada.reads(one).some((message) => message.only === undefined))
  await until(
    () => answered.every(({ thread: one }) => ada.reads(one).some((message) => buttonsIn(message).length === 0)),
    'final answers',
    90_000,
  )
  assert.equal(asked(), 3)
  for (const words of ['one', 'two']) {
    const { thread: place } = await ben.say(words, { channel: 'C2' })
    await ben.sees(place, 'Hello from the bot.', 'C2')
  }
  const over = await ada.say('three', { channel: 'C2' })
  await ada.sees(over.thread, 'used up its messages for today', 'C2')
}

async function killed({ ada, ben, notes, kill, start, provider }: ChatPlace): Promise<void> {
  const sent = await ada.say('wait for it')
  await until(() => notes().includes('wait begins'), 'the call', 90_000)
  const told = await ben.say('remember the lamp')
  await ben.sees(told.thread, 'Hello from the bot.')
  await kill()
  await start()
  await ada.sees(sent.thread, 'restarted in the middle of this')
  // Slack did not hear of the first delivery, and sends it again.
  await ada.say('wait for it', { ts: sent.ts })
  await ben.say('and now?', { thread: told.thread })
  await until(() => JSON.stringify(provider.requests.at(-1)?.messages).includes('and now?'), 'the next turn', 90_000)
  assert.match(JSON.stringify(provider.requests.at(-1)?.messages), /remember the lamp/)
  assert.equal(notes().match(/wait begins/g)?.length, 1, 'nothing runs twice')
  assert.equal(ada.reads(sent.thread).filter((one) => shownIn(one).includes('restarted in the middle')).length, 1)
}

async function overHttp({ ada, slack, provider }: ChatPlace): Promise<void> {
  const { thread } = await ada.say('hello')
  await ada.sees(thread, 'Hello from the bot.')
  const before = provider.requests.length
  const event = { type: 'message', channel: 'C1', user: 'U1ADA', ts: slack.stamp(), text: `<@${BOT.user}> forged` }
  const body = JSON.stringify({ type: 'event_callback', team_id: BOT.team, event })
  const send = async (headers: { readonly [name: string]: string }, text = body): Promise<number> => {
    const response = await fetch(`${slack.eventsUrl}/slack/events`, { method: 'POST', headers, body: text })
    await response.text()
    return response.status
  }
  assert.equal(await send({}), 401, 'not signed')
  assert.equal(await send(slack.signed(body, { secret: 'another' })), 401, 'signed by somebody else')
  assert.equal(await send(slack.signed(body, { at: Date.now() - 360_000 })), 401, 'too old')
  assert.equal(await send(slack.signed(body, { at: Date.now() + 360_000 })), 401, 'from the future')
  assert.equal(await send(slack.signed(body), `${body} `), 401, 'altered')
  assert.equal(
    await send(slack.signed('x'.repeat(2_000_000)), 'x'.repeat(2_000_000)).catch(() => 413),
    413,
    'too large',
  )
  const challenge = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
  const headers = slack.signed(challenge)
  assert.equal(await send(headers, challenge), 200)
  assert.equal(await send(headers, challenge), 401, 'sent before')
  assert.equal(provider.requests.length, before)
}

async function task({ ada }: ChatPlace): Promise<void> {
  const { thread } = await ada.say('build it')
  await ada.sees(thread, 'I am having it built.')
  await ada.sees(thread, 'The result is there.')
}
