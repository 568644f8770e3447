/** The part of L2 and L3 in which answers are replaced on their way: other bytes, other statuses, none at all. */

import { expect } from 'vitest'
import type { HttpKind, Rig } from './rig.ts'
import { cell, issue, type Outcome, type Planned, planCalls, RUNS, raceCancellation } from './run.ts'
import { answerTo } from './server-plan.ts'

export function describeAnswers(level: string, kind: HttpKind): void {
  const head = (status: string, length: number, type = 'application/json') =>
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`
  const replacements: [string, (bytes: Buffer) => string | Buffer][] = [
    ['202 in place of the answer', () => 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'],
    ['an empty 200', () => head('200 OK', 0)],
    ['another content type', () => `${head('200 OK', 4, 'text/html')}<p/>`],
    ['the id of another request', (bytes) => bytes.toString('latin1').replace(/"id":(\d)/, '"id":"$1"').replace(/(content-length: )(\d+)/i, (_, name, length) => `${name}${Number(length) + 2}`)],
    ['a stream that ends without the response', () => `${head('200 OK', 3, 'text/event-stream')}:\n\n`],
  ] // biome-ignore format: a table
  for (const [name, replace] of replacements) {
    cell(`${level} F14 ${name}`, kind, { proxy: true }, async (rig, seeded) => {
      const plans = planCalls(seeded)
      const victims = new Set(plans.filter((_, index) => index % 4 === 1).map(({ nonce }) => nonce))
      hook(rig).response = (bytes) => {
        const text = bytes.toString('utf8')
        const victim = [...victims].find((nonce) => text.includes(answerTo(nonce)))
        if (victim === undefined) return bytes
        const replaced = replace(bytes)
        return typeof replaced === 'string' ? Buffer.from(replaced, 'latin1') : replaced
      }
      const faultAt = performance.now()
      const outcomes = await issue(rig.client, plans)
      for (const { nonce, kind: end } of outcomes) expect(end).toBe(victims.has(nonce) ? 'local' : 'result')
      return { outcomes, faultAt }
    })
  }

  cell(`${level} F21 every event twice`, kind, { plan: { duplicateEvents: true } }, async (rig, seeded) => {
    const plans = planCalls(seeded, (index) => (index % 4 === 0 ? { steps: 4 } : {}))
    return { outcomes: await issue(rig.client, plans), allResults: true }
  })

  cell(
    `${level} F22 cancellation races with the answer`,
    kind,
    { reuse: true },
    async (rig, seeded) => {
      return { outcomes: await raceCancellation(rig, seeded) }
    },
    RUNS,
  )
}

export function describeStatuses(level: string, kind: HttpKind): void {
  const statuses: [number, string, (plan: Planned, outcome: Outcome) => void][] = [
    [500, '', (_, { delivery, kind: end }) => expect([end, delivery]).toEqual(['local', 'unknown'])],
    [502, '', afterLoss],
    [503, '', afterLoss],
    [504, '', afterLoss],
    [429, '', (_, { delivery, kind: end }) => expect([end, delivery]).toEqual(['local', 'not-sent'])],
    [503, 'retry-after: 1\r\n', (_, { kind: end }) => expect(end).toBe('result')],
    [429, 'retry-after: 0\r\n', (_, { kind: end }) => expect(end).toBe('result')],
  ]
  for (const [status, header, check] of statuses) {
    const name = `${level} F18 ${status}${header === '' ? '' : ` with ${header.trim()}`}`
    cell(name, kind, { proxy: true }, async (rig, seeded) => {
      const plans = planCalls(seeded)
      const struck = refuseOnce(rig, plans, `HTTP/1.1 ${status} No\r\n${header}content-length: 0\r\n\r\n`)
      const faultAt = performance.now()
      const outcomes = await issue(rig.client, plans)
      for (const [index, outcome] of outcomes.entries()) {
        const plan = plans[index]
        if (plan !== undefined && struck.has(plan.nonce)) check(plan, outcome)
        else expect(outcome.kind).toBe('result')
      }
      return { outcomes, faultAt }
    })
  }
  if (kind !== 'session') return
  cell(`${level} F18 404: the session is forgotten`, kind, { proxy: true, reuse: true }, async (rig, seeded) => {
    const plans = planCalls(seeded)
    refuseOnce(rig, plans, 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
    return { outcomes: await issue(rig.client, plans), allResults: true }
  })
}

/** What the rig's proxy does to the bytes that pass. */
export function hook(rig: Rig) {
  if (rig.proxy === undefined) throw new Error('The rig has no proxy')
  return rig.proxy.hooks
}

/** Answers the first request of every other pair of calls itself. Gives the nonces it struck, as they come. */
function refuseOnce(rig: Rig, plans: readonly Planned[], answer: string): Set<string> {
  const victims = new Set(plans.filter((_, index) => index % 4 > 1).map(({ nonce }) => nonce))
  const struck = new Set<string>()
  hook(rig).request = (bytes, passage) => {
    const text = bytes.toString('utf8')
    const victim = [...victims].find((nonce) => text.includes(nonce))
    if (victim === undefined) return bytes
    victims.delete(victim)
    struck.add(victim)
    passage.answer(answer)
    return undefined
  }
  return struck
}

/** Whether a gateway's request reached the server nobody knows: only what may be repeated is. */
function afterLoss({ idempotent }: Planned, { kind, delivery }: Outcome): void {
  expect([kind, delivery]).toEqual(idempotent ? ['result', undefined] : ['local', 'unknown'])
}
