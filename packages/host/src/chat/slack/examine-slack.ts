/** What has to be right before a bot can work in Slack, looked at one by one: for `portico doctor`. */

import { PorticoError } from '@portico/sdk/server'
import { SlackApi, SlackError } from './slack-api.ts'
import { MAX_SKEW_SECONDS } from './slack-signature.ts'

/** One thing that was looked at. */
export interface SlackExamination {
  readonly status: 'ok' | 'note' | 'fail'
  readonly what: string
  readonly detail: string
  readonly remedy?: string
}

/** What the engine cannot do without, and what it does without them. */
const NEEDED = ['app_mentions:read', 'chat:write', 'im:history']
const USEFUL: { readonly [scope: string]: string } = {
  'channels:history': 'edits and deletions in public channels are not noticed',
  'groups:history': 'edits and deletions in private channels are not noticed',
  'files:read': 'files that people send are not read',
  'files:write': 'files of tools are not shown',
}

/**
 * Looks at the tokens, the scopes and the clock of a Slack bot, and says what to do where something is not right.
 *
 * @example
 * ```ts
 * import { examineSlack } from '@portico/host/chat'
 *
 * for (const { what, detail } of await examineSlack({ botToken: 'xoxb-…', appToken: 'xapp-…' })) console.log(what, detail)
 * ```
 */
export async function examineSlack(options: {
  readonly botToken: string
  readonly appToken?: string
  readonly base?: string
  readonly fetch?: typeof fetch
}): Promise<SlackExamination[]> {
  const found: SlackExamination[] = []
  try {
    const api = new SlackApi({ ...options, token: options.botToken, tries: 1 })
    const { team, user, scopes, date } = await api.call('auth.test', {})
    found.push({ status: 'ok', what: 'Slack bot', detail: `${String(user)} in ${String(team)}` })
    found.push(...examineScopes(typeof scopes === 'string' ? scopes : undefined), examineClock(String(date)))
  } catch (error) {
    const remedy = remedyFor(
      error,
      'Take the Bot User OAuth Token (xoxb-…) from the page "OAuth & Permissions" of the app.',
    )
    found.push({ status: 'fail', what: 'Slack bot', detail: wordsOf(error), remedy })
    // The second token would wait for the same network.
    if (!(error instanceof SlackError)) return found
  }
  if (options.appToken !== undefined) found.push(await examineSocket({ ...options, token: options.appToken }))
  return found
}

function examineScopes(scopes: string | undefined): SlackExamination[] {
  if (scopes === undefined)
    return [{ status: 'note', what: 'Slack scopes', detail: 'Slack did not say which there are' }]
  const has = new Set(scopes.split(',').map((scope) => scope.trim()))
  const missing = NEEDED.filter((scope) => !has.has(scope))
  const remedy = 'Add them on the page "OAuth & Permissions" of the app, and install it again.'
  const lacks = Object.entries(USEFUL).filter(([scope]) => !has.has(scope))
  return [
    missing.length === 0
      ? { status: 'ok', what: 'Slack scopes', detail: [...has].join(', ') }
      : { status: 'fail', what: 'Slack scopes', detail: `${missing.join(', ')} missing`, remedy },
    ...lacks.map(
      ([scope, why]) => ({ status: 'note', what: 'Slack scopes', detail: `without ${scope}, ${why}` }) as const,
    ),
  ]
}

function examineClock(date: string): SlackExamination {
  const skew = Math.round(Math.abs(Date.now() - Date.parse(date)) / 1000)
  if (!Number.isFinite(skew)) return { status: 'note', what: 'clock', detail: 'Slack did not tell the time' }
  const detail = `${skew} s from Slack’s`
  if (skew < MAX_SKEW_SECONDS / 5) return { status: 'ok', what: 'clock', detail }
  const remedy = 'Set the clock of this machine: requests of Slack are refused when it is off.'
  return { status: skew < MAX_SKEW_SECONDS ? 'note' : 'fail', what: 'clock', detail, remedy }
}

async function examineSocket(options: { readonly token: string; readonly base?: string }): Promise<SlackExamination> {
  try {
    await new SlackApi({ ...options, tries: 1 }).call('apps.connections.open', {})
    return { status: 'ok', what: 'Slack socket mode', detail: 'a connection can be opened' }
  } catch (error) {
    const remedy = remedyFor(
      error,
      'Make an app-level token (xapp-…) with connections:write, and switch socket mode on.',
    )
    return { status: 'fail', what: 'Slack socket mode', detail: wordsOf(error), remedy }
  }
}

/** What Slack refused is mended at Slack; what did not reach it, here. */
function remedyFor(error: unknown, atSlack: string): string {
  return error instanceof SlackError ? atSlack : 'Look at the network of this machine, and at its proxy.'
}

function wordsOf(error: unknown): string {
  if (error instanceof SlackError) return `Slack says ${error.code}`
  return error instanceof PorticoError ? error.message : 'Slack could not be reached'
}
