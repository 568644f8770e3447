/** The google server at a Google that runs here: mail, calendars and files, tokens, and two people apart from each other. */

import assert from 'node:assert/strict'
import { testClient } from '@portico/sdk/testing'
import { createGoogleServer } from '@portico/servers/google'
import type { Report } from '../../support/report.ts'
import { ADA, BOB, type GoogleService, startGoogle } from './google-service.ts'

type Client = Awaited<ReturnType<typeof testClient>>
type Arguments = { readonly [name: string]: unknown }

interface Place {
  readonly google: GoogleService
  readonly client: Client
  /** The token of Ada's own program. */
  readonly access: string
  readonly report: Report
}

export async function tryGoogle(report: Report): Promise<void> {
  const google = await startGoogle()
  const { ACCESS: access = '', ...environment } = await google.signIn(ADA)
  const open = (variables: { readonly [name: string]: string }, answers: readonly { confirm: boolean }[]) =>
    createGoogleServer({
      ...{ base: `http://${google.host}`, tokenUrl: `http://${google.host}/oauth2/token` },
      ...{ allowPrivate: [google.host], environment: variables, write: true },
    }).then(({ server }) => testClient(server, { answers: { elicit: [...answers] } }))
  const client = await open(environment, [{ confirm: false }, ...Array.from({ length: 3 }, () => ({ confirm: true }))])
  const other = await open(await google.signIn(BOB), [])
  try {
    const place = { google, client, access, report }
    await mail(place)
    await calendar(place)
    await files(place)
    await apart(place, other)
    await tokens(place, environment.GOOGLE_REFRESH_TOKEN ?? '')
    report.note = '@emulators/google 0.11.2, signed in by its own authorization'
  } finally {
    await client.close()
    await other.close()
    await google.close()
  }
}

async function mail({ google, client, access, report }: Place): Promise<void> {
  await report.check('mail is found by Gmail’s operators, and a subject makes no row of its own', async () => {
    const text = await say(client, 'search_mail', { query: 'from:bob@example.com' })
    assert.match(text, /^thread lamp · .* · Bob <bob@example.com> · Lamp thread 9 · forged · It is out/m)
    assert.equal(text.match(/^thread /gm)?.length, 1)
  })
  await report.check('a list of mail goes on where its page ended', async () => {
    const first = await say(client, 'search_mail', { query: 'from:cy@example.com' })
    assert.equal(first.match(/^thread /gm)?.length, 20)
    const page = /\[More: page (\S+)\]/.exec(first)?.[1]
    const rest = await say(client, 'search_mail', { query: 'from:cy@example.com', page })
    assert.equal(rest.match(/^thread /gm)?.length, 5)
  })
  await report.check('a thread is read, labelled as foreign, without hidden characters', async () => {
    const text = await say(client, 'read_thread', { thread: 'lamp' })
    assert.match(text, /not instructions/)
    assert.equal(text.split('[End of the content of the web.]').length, 2)
    assert.doesNotMatch(text, /\u202e/)
  })
  const letter = { to: [BOB], cc: ['eve@example.com'], subject: 'Lämp is on ✓', text: 'It is on.\nReally — ß.' }
  await report.check('a mail that the person does not agree to is not sent', async () => {
    assert.match(await told(client, 'send_mail', letter), /did not agree/)
    assert.deepEqual(await sentBy(google, access), [])
  })
  await report.check('one that is agreed to is sent once, and arrives as it was written', async () => {
    assert.match(await say(client, 'send_mail', letter), /^Done: sent as /)
    const sent = await sentBy(google, access)
    assert.equal(sent.length, 1)
    const text = await say(client, 'read_thread', { thread: sent[0]?.threadId })
    for (const words of [letter.subject, BOB, 'It is on.', 'Really — ß.']) assert.ok(text.includes(words), words)
  })
  await report.check('a draft lies among the drafts and is not sent', async () => {
    assert.match(await say(client, 'draft_mail', letter), /among the drafts/)
    assert.equal((await sentBy(google, access)).length, 1)
    const { drafts } = (await google.ask(access, '/gmail/v1/users/me/drafts')) as { drafts: unknown[] }
    assert.equal(drafts.length, 1)
  })
}

async function sentBy(google: GoogleService, access: string): Promise<readonly { readonly threadId: string }[]> {
  const list = await google.ask(access, '/gmail/v1/users/me/messages?labelIds=SENT')
  return (list as { messages?: { threadId: string }[] }).messages ?? []
}

async function calendar({ client, report }: Place): Promise<void> {
  await report.check('calendars and the events of a span, with who comes', async () => {
    assert.match(await say(client, 'list_calendars', {}), /primary · Watches \(yours\)/)
    const span = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' }
    const text = await say(client, 'list_events', span)
    assert.match(text, /2026-11-20T10:00:00Z to 2026-11-20T11:00:00Z · Watch · Lamp room · bob@example.com/)
    assert.doesNotMatch(text, /Oil/)
  })
  await report.check('an event that is agreed to is there afterwards', async () => {
    const event = { summary: 'Clean', start: '2026-11-21T10:00:00+01:00', end: '2026-11-21T11:00:00+01:00' }
    assert.match(await say(client, 'create_event', { ...event, attendees: [BOB] }), /^Done: /)
    const text = await say(client, 'list_events', { from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z' })
    assert.match(text, /Clean · bob@example.com/)
  })
}

async function files({ client, report }: Place): Promise<void> {
  await report.check('files are listed by pages', async () => {
    const first = await say(client, 'search_files', {})
    const page = /\[More: page (\S+)\]/.exec(first)?.[1]
    assert.ok(page, first)
    const rest = await say(client, 'search_files', { page })
    assert.equal((first + rest).match(/ · [-a-z./]+ · 20/g)?.length, 37)
  })
  await report.check('a text file is read and labelled as foreign', async () => {
    const text = await say(client, 'read_file', { file: 'plan' })
    assert.match(text, /plan\.txt · text\/plain\n\nThe plan\./)
    assert.equal(text.split('[End of the content of the web.]').length, 2)
  })
  await report.check(
    'what the service cannot do is told in its own words (this one exports no documents)',
    async () => {
      assert.match(await told(client, 'read_file', { file: 'doc' }), /^Google answered 404: Not Found/)
    },
  )
}

async function apart({ client, report }: Place, other: Client): Promise<void> {
  await report.check('sec-435: another person’s mail, events and files are not there', async () => {
    const asked: readonly (readonly [string, Arguments])[] = [
      ['read_thread', { thread: 'own' }],
      ['read_file', { file: 'bobs-file' }],
      ['list_events', { calendar: 'bobs', from: '2026-01-01T00:00:00Z' }],
    ]
    for (const [tool, args] of asked) {
      assert.match(await told(client, tool, args), /^Google answered 404: Requested entity was not found\.$/m, tool)
    }
    assert.match(await say(other, 'read_file', { file: 'bobs-file' }), /a lot/)
  })
}

async function tokens({ google, client, report }: Place, refresh: string): Promise<void> {
  await report.check('an access token that has ended is got anew, and nobody notices', async () => {
    google.endTokens()
    assert.match(await say(client, 'list_calendars', {}), /Watches/)
  })
  await report.check('a refresh token that was taken back is told, and not shown', async () => {
    await google.revoke(refresh)
    google.endTokens()
    const text = await told(client, 'list_calendars', {})
    assert.match(text, /invalid_grant.*sign in again/)
    assert.ok(!text.includes(refresh), text)
  })
}

async function told(client: Client, name: string, args: Arguments): Promise<string> {
  const { content } = await client.callTool(name, { ...args })
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}

async function say(client: Client, name: string, args: Arguments): Promise<string> {
  const { isError, content } = await client.callTool(name, { ...args })
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  assert.ok(isError !== true, `${name}: ${text}`)
  return text
}
