/**
 * The slack server by Slack's own client: the local service has the shapes that the client's types publish, the client reads it,
 * and every class of error that the client knows is one that our server tells a person how to mend.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import { createSlackServer } from '@portico/servers/slack'
import { LogLevel, WebClient } from '@slack/web-api'
import type { Report } from '../../support/report.ts'
import { type SlackRefusal, type SlackService, startSlackService } from '../../support/slack-service.ts'

const TOKEN = 'xoxb-of-the-trial'

/** A refusal, the class that Slack's client finds in it, and what a person is told by our server. */
const REFUSALS: readonly (readonly [SlackRefusal, string, RegExp])[] = [
  ...['not_authed', 'invalid_auth', 'token_expired', 'token_revoked', 'account_inactive'].map(
    (error) => [{ error }, 'slack_webapi_platform_error', /Set SLACK_TOKEN/] as const,
  ),
  ...['no_permission', 'access_denied', 'restricted_action', 'org_login_required', 'ekm_access_denied'].map(
    (error) => [{ error }, 'slack_webapi_platform_error', /administers/] as const,
  ),
  ...['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable'].map(
    (error) => [{ error }, 'slack_webapi_platform_error', /may have been done/] as const,
  ),
  [
    { error: 'missing_scope', more: { needed: 'channels:read', provided: 'users:read' } },
    'slack_webapi_platform_error',
    /missing_scope: the scope channels:read is needed\nThe token may not do this/,
  ],
  [{ error: 'not_allowed_token_type' }, 'slack_webapi_platform_error', /token of a user/],
  [{ error: 'channel_not_found' }, 'slack_webapi_platform_error', /no such channel/],
  [{ error: 'not_in_channel' }, 'slack_webapi_platform_error', /invite it/],
  [{ error: 'invalid_cursor' }, 'slack_webapi_platform_error', /Begin without one/],
  [{ error: 'of_next_year' }, 'slack_webapi_platform_error', /Slack answered of_next_year/],
  [{ status: 500, error: 'x' }, 'slack_webapi_http_error', /Slack answered 500/],
  [{ status: 404, error: 'x' }, 'slack_webapi_http_error', /Slack answered 404/],
  [{ status: 429, retryAfter: '7200' }, 'slack_webapi_rate_limited_error', /left alone for 7200 s/],
  [{ gone: true }, 'slack_webapi_request_error', /could not be reached|no answer|reached/i],
]

export async function trySlack(report: Report): Promise<void> {
  await report.check('the local service answers as the published types say', shapes, { limitMs: 300_000 })
  const service = await startSlackService()
  const theirs = new WebClient(TOKEN, {
    ...{ slackApiUrl: `${service.base}/`, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
    logLevel: LogLevel.ERROR,
    logger: {
      debug() {},
      info() {},
      warn() {},
      error() {},
      setLevel() {},
      getLevel: () => LogLevel.ERROR,
      setName() {},
    },
  })
  try {
    await report.check('Slack’s own client reads the same channels, over the same cursors', () =>
      sameChannels(service, theirs),
    )
    for (const [refusal, code, words] of REFUSALS) {
      const name = `${JSON.stringify(refusal)} is ${code} to Slack’s client, and told by ours`
      await report.check(name, () => refused(service, theirs, { refusal, code, words }))
    }
    await report.check('a limit is waited for by Retry-After, and told as progress', () => limited(service))
    report.note = `@slack/web-api 8.2.0, ${REFUSALS.length} refusals`
  } finally {
    await service.close()
  }
}

function shapes(): void {
  const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  const project = fileURLToPath(new URL('shapes', import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
}

async function open(service: SlackService) {
  const { server } = await createSlackServer({
    ...{ base: service.base, allowPrivate: [service.host], environment: { SLACK_TOKEN: TOKEN } },
  })
  return connect(server)
}

async function sameChannels(service: SlackService, theirs: WebClient): Promise<void> {
  const names: string[] = []
  for await (const page of theirs.paginate('conversations.list', { limit: 1 })) {
    for (const { name } of (page as { channels: { name: string }[] }).channels) names.push(name)
  }
  const client = await open(service)
  const text = await say(client, 'list_channels')
  assert.deepEqual(names, ['team-light', 'secret'])
  for (const name of names) assert.ok(text.includes(`#${name} `), name)
  await client.close()
}

interface Refused {
  readonly refusal: SlackRefusal
  readonly code: string
  readonly words: RegExp
}

async function refused(service: SlackService, theirs: WebClient, { refusal, code, words }: Refused): Promise<void> {
  service.refusals.push(refusal)
  await assert.rejects(theirs.conversations.list(), { code })
  service.refusals.push(refusal)
  const client = await open(service)
  assert.match(await say(client, 'list_channels'), words)
  assert.match(await say(client, 'list_channels'), /#team-light/, 'what failed is not kept')
  await client.close()
}

async function limited(service: SlackService): Promise<void> {
  service.refusals.push({ status: 429, retryAfter: '2', error: 'ratelimited' })
  const client = await open(service)
  const told: string[] = []
  const onProgress = ({ message = '' }) => void told.push(message)
  const { isError } = await client.callTool('list_channels', {}, { onProgress })
  assert.notEqual(isError, true)
  assert.deepEqual(told, ['Slack asks to wait 2 s', 'Slack asks to wait 1 s'])
  await client.close()
}

async function say(client: Awaited<ReturnType<typeof open>>, name: string): Promise<string> {
  const { content } = await client.callTool(name, {})
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}
