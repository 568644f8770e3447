/**
 * What every `Link` must do between a client and a server: each request ends once, one that was given up is not heard of
 * again, and nothing throws or rejects after the end.
 */

import type { Link, LinkEvents, Outgoing } from '../client/link.ts'
import type { RequestId } from '../jsonrpc/message.ts'
import { type ContractCase, eventually, expect, expectEqual, inTime } from './contract.ts'

/** What a link said of the requests of a case, and of its own end. */
interface LinkReport {
  readonly kind: 'response' | 'failed' | 'closed'
  readonly id?: RequestId
}

/** A link after its handshake on a revision that has sessions, to a server with the tools `echo` and `wait`. */
export interface ContractLink {
  readonly link: Link
  readonly reports: readonly LinkReport[]
  close(): Promise<void>
}

/** Writes down what a link says. Ids of cases are texts; a client's own are numbers, and pass on to it. */
export function watchLink(link: Link): { readonly link: Link; readonly reports: LinkReport[] } {
  const reports: LinkReport[] = []
  const open = link.open.bind(link)
  const isOurs = (id: unknown): id is string => typeof id === 'string'
  link.open = (events: LinkEvents) =>
    open({
      response: (response) => {
        if (isOurs(response.id)) reports.push({ kind: 'response', id: response.id })
        else events.response(response)
      },
      failed: (id, error) => {
        if (isOurs(id)) reports.push({ kind: 'failed', id })
        else events.failed(id, error)
      },
      closed: (error) => {
        reports.push({ kind: 'closed' })
        events.closed(error)
      },
      message: (message, owner) => events.message(message, owner),
      irregular: (reason, detail) => events.irregular(reason, detail),
      held: (id, waiting) => events.held?.(id, waiting),
      paused: (id, retryMs) => events.paused?.(id, retryMs),
    })
  return { link, reports }
}

/** The cases of a link. `make` gives a fresh one with what `watchLink` wrote down. */
export function linkContract(make: () => Promise<ContractLink>): ContractCase[] {
  const withLink = (name: string, body: (made: ContractLink) => Promise<void>): ContractCase => ({
    name,
    run: async () => {
      const made = await make()
      await inTime(body(made), name).finally(() => made.close())
    },
  })
  const isAnswered = (reports: readonly LinkReport[], id: string) => async () => reports.some((one) => one.id === id)
  return [
    withLink('answers each request once, by its id', async ({ link, reports }) => {
      for (const id of ['a', 'b', 'c']) link.request(calling(id, 'echo'))
      for (const id of ['a', 'b', 'c']) await eventually(isAnswered(reports, id))
      expectEqual(reports.map(({ kind, id }) => `${kind} ${id}`).sort(), ['response a', 'response b', 'response c'])
    }),
    withLink('reports nothing more of a request that was given up', async ({ link, reports }) => {
      link.request(calling('given up', 'wait'))
      link.cancel('given up', 'not needed')
      link.request(calling('next', 'echo'))
      await eventually(isAnswered(reports, 'next'))
      expectEqual(reports, [{ kind: 'response', id: 'next' }])
    }),
    withLink('takes it calmly when what is given up is not there', async ({ link, reports }) => {
      link.cancel('never sent', 'not needed')
      link.request(calling('next', 'echo'))
      await eventually(isAnswered(reports, 'next'))
    }),
    withLink('ends once, and neither throws nor rejects nor answers afterwards', async ({ link, reports }) => {
      link.request(calling('open', 'wait'))
      await link.close()
      await link.close()
      link.request(calling('late', 'echo'))
      link.cancel('open', 'too late')
      await link.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
      expect(reports.filter(({ kind }) => kind === 'closed').length <= 1, 'the end is reported once')
      expect(!reports.some(({ kind, id }) => kind === 'response' && id === 'late'), 'nothing is answered after the end')
      expect(reports.filter(({ id }) => id === 'open').length <= 1, 'an open request ends once')
    }),
  ]
}

function calling(id: string, name: string): Outgoing {
  const params = { name, arguments: {} }
  return { id, method: 'tools/call', params, meta: undefined, envelope: undefined, progress: false, fresh: false }
}
