/**
 * Goes on with a session that another replica had: what its client said then is said again to the endpoint here, in the same
 * order, so that whatever follows from it follows here too. What was under way there is answered with an error that says so.
 */

import {
  HttpSession,
  isObject,
  type Outlet,
  type SessionRecord,
  type SessionSettings,
  type SharedEndpoint,
  type StreamRecord,
} from '@portico/sdk/internal'
import { PorticoError, type Principal } from '@portico/sdk/server'
import { lostAnswer } from './answers.ts'

interface Restoring {
  readonly id: string
  readonly record: SessionRecord
  readonly takeovers: number
  readonly principal: Principal | undefined
  readonly streams: readonly StreamRecord[]
}

export async function restoreSession(
  shared: SharedEndpoint,
  settings: SessionSettings,
  restoring: Restoring,
): Promise<HttpSession> {
  const { id, record, takeovers, principal } = restoring
  const found = new HttpSession(principal, settings, id, takeovers)
  const say = (method: string, params: object): Promise<unknown> => sayTo(shared, found, method, params)
  const { version, capabilities, clientInfo, logLevel, subscriptions } = record
  const opened = await say('initialize', { protocolVersion: version, capabilities, clientInfo })
  shared.endpoint.notify({ jsonrpc: '2.0', method: 'notifications/initialized' }, found.session)
  if (logLevel !== undefined && logLevel !== found.session.logLevel) await say('logging/setLevel', { level: logLevel })
  for (const uri of subscriptions) {
    // What can no longer be subscribed to is no reason to lose the rest.
    await say('resources/subscribe', { uri }).catch(settings.onError)
  }
  for (const stream of restoring.streams) restoreStream(found, stream)
  tellMissed(found, opened)
  const bound = shared.sessions.add(found)
  if (bound === undefined) return found
  found.leave()
  throw new PorticoError('limit-exceeded', `There is no room for another session: ${bound} reached`)
}

/** Says something in the client's name, and resolves to what is answered. */
function sayTo(shared: SharedEndpoint, { session }: HttpSession, method: string, params: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (text: string): void => {
      // Written by the endpoint itself.
      const answer = JSON.parse(text) as { result?: unknown; error?: { message: string } }
      if (answer.error === undefined) resolve(answer.result)
      else reject(new PorticoError('closed', `${method} cannot be repeated here: ${answer.error.message}`))
    }
    const close = (): void => reject(new PorticoError('closed', `${method} was given up`))
    const outlet: Outlet = { send: () => undefined, end, close }
    const message = { jsonrpc: '2.0' as const, id: `restore ${method}`, method, params: { ...params } }
    const { principal, incoming: scope } = session
    shared.endpoint.serveLegacy({ message, outlet, scope, principal, head: undefined }, session)
  })
}

function restoreStream(found: HttpSession, { id, requests, events, ended }: StreamRecord): void {
  for (const { seq, text } of events) found.events.append(id, seq, text)
  // The stream of messages about no request goes on by itself, above all earlier numbers.
  if (id === found.standalone.id) return
  const stream = found.restoreStream(id, (events.at(-1)?.seq ?? 0) + UNKEPT)
  found.events.opened?.(id, requests)
  if (!ended) {
    const answered = new Set(events.map(({ text }) => idAnswered(text)))
    for (const request of requests) if (!answered.has(request)) stream.send(lostAnswer(request), 'keep')
  }
  found.finishStream(stream, undefined)
}

function idAnswered(text: string): unknown {
  const message: unknown = JSON.parse(text)
  return isObject(message) && !('method' in message) ? message.id : undefined
}

/** More events than a replica can have sent without having kept them. */
const UNKEPT = 1_000_000

const LISTS = ['tools', 'resources', 'prompts']

/** What changed while nobody had the session was told to nobody: the client is told that it may have. */
function tellMissed({ session }: HttpSession, opened: unknown): void {
  const capabilities = isObject(opened) && isObject(opened.capabilities) ? opened.capabilities : {}
  for (const list of LISTS) {
    const own = capabilities[list]
    const method = `notifications/${list}/list_changed`
    if (isObject(own) && own.listChanged === true && session.revision.serverNotifications.has(method)) {
      session.post(JSON.stringify({ jsonrpc: '2.0', method }), 'keep')
    }
  }
  for (const uri of session.subscriptions) {
    session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }), 'keep')
  }
}
