/** F14, F18, F21 and F22: answers are replaced on their way, come twice, or race with cancellation. */

import { issue, type Outcome, type Planned, planCalls, raceCancellation } from '../calls.ts'
import { type Cell, type Form, onLinks } from '../cell.ts'
import { now } from '../clock.ts'
import { answerTo } from '../programs/server-plan.ts'
import type { Rig } from '../rig/rig.ts'
import { hooksOf } from './bytes.ts'

const PROXY = { proxy: true, way: 'http', reuse: true } as const

const head = (status: string, length: number, type = 'application/json') =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`

/** The id becomes a text, which makes the body longer by two. */
const withOtherId = (bytes: Buffer) =>
  bytes
    .toString('latin1')
    .replace(/"id":(\d+)/, '"id":"$1"')
    .replace(/(content-length: )(\d+)/i, (_, name, length) => `${name}${Number(length) + 2}`)

const REPLACEMENTS: [string, (bytes: Buffer) => string][] = [
  ['202 in place of the answer', () => 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'],
  ['an empty 200', () => head('200 OK', 0)],
  ['another content type', () => `${head('200 OK', 4, 'text/html')}<p/>`],
  ['the id of another request', withOtherId],
  ['a stream that ends without the response', () => `${head('200 OK', 3, 'text/event-stream')}:\n\n`],
]

const replaced: readonly Form[] = REPLACEMENTS.map(([about, replace]) => ({
  fault: 14,
  about,
  options: PROXY,
  async run(rig, seeded) {
    const plans = planCalls(seeded)
    const victims = new Set(plans.filter((_, index) => index % 4 === 1).map(({ nonce }) => nonce))
    hooksOf(rig).response = (bytes) => {
      const text = bytes.toString('utf8')
      const isVictim = [...victims].some((nonce) => text.includes(answerTo(nonce)))
      if (!isVictim) return bytes
      faultAt = now()
      return Buffer.from(replace(bytes), 'latin1')
    }
    let faultAt = now()
    const outcomes = await issue(rig, plans)
    const failure = rig.isNear ? 'local' : 'peer'
    return { outcomes, faultAt, complaints: unlike(outcomes, ({ nonce }) => (victims.has(nonce) ? failure : 'result')) }
  },
}))

/** What is to become of a call that was refused; whether a gateway's request arrived nobody knows. */
const STATUSES: [number, string, (plan: Planned) => string][] = [
  [500, '', () => 'local unknown'],
  [502, '', afterLoss],
  [503, '', afterLoss],
  [504, '', afterLoss],
  [429, '', () => 'local not-sent'],
  [503, 'retry-after: 1\r\n', () => 'result undefined'],
  [429, 'retry-after: 0\r\n', () => 'result undefined'],
]

function afterLoss({ idempotent }: Planned): string {
  return idempotent ? 'result undefined' : 'local unknown'
}

const statuses: readonly Form[] = STATUSES.map(([status, header, expected]) => ({
  fault: 18,
  about: `${status}${header === '' ? '' : ` with ${header.trim()}`}`,
  options: PROXY,
  async run(rig, seeded) {
    const plans = planCalls(seeded)
    let faultAt = now()
    const answer = `HTTP/1.1 ${status} No\r\n${header}content-length: 0\r\n\r\n`
    const struck = refuseOnce(rig, plans, answer, () => {
      faultAt = now()
    })
    const outcomes = await issue(rig, plans)
    const want = ({ nonce }: Outcome): string => {
      const plan = plans.find((one) => one.nonce === nonce)
      if (plan === undefined || !struck.has(nonce)) return 'result'
      const wanted = expected(plan)
      // A gateway repeats nothing that it does not know to be unsent, and tells the loss as its own error; its client may.
      return rig.isNear ? wanted : header === '' && !plan.idempotent ? 'peer' : 'result'
    }
    return { outcomes, faultAt, strikes: struck.size, complaints: unlike(outcomes, want) }
  },
}))

const forgotten: Form = {
  fault: 18,
  about: '404: the session is forgotten',
  options: { ...PROXY, version: '2025-11-25' },
  async run(rig, seeded) {
    const plans = planCalls(seeded)
    const struck = refuseOnce(rig, plans, 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
    const outcomes = await issue(rig, plans)
    return { outcomes, strikes: struck.size, allResults: true }
  },
}

const twice: Form = {
  fault: 21,
  about: 'every event twice',
  options: { way: 'http', plan: { duplicateEvents: true }, gateway: { duplicateEvents: true } },
  async run(rig, seeded) {
    const plans = planCalls(seeded, (index) => (index % 4 === 0 ? { steps: 4 } : {}))
    return { outcomes: await issue(rig, plans), allResults: true }
  },
}

const race: Form = {
  fault: 22,
  about: 'cancellation races with the answer',
  options: { reuse: true },
  async run(rig, seeded) {
    const outcomes = await raceCancellation(rig, seeded)
    const strange = outcomes.filter(({ kind, code }) => kind !== 'result' && code !== 'aborted')
    const strikes = outcomes.filter(({ code }) => code === 'aborted').length
    return {
      outcomes,
      strikes,
      complaints: strange.map(({ code, text }) => `neither result nor cancelled: ${code} ${text}`),
    }
  },
}

/** Calls that did not end as wanted, in words. `wanted` is the kind, or the kind and what it says of delivery. */
function unlike(outcomes: readonly Outcome[], wanted: (outcome: Outcome) => string): string[] {
  return outcomes.flatMap((outcome) => {
    const want = wanted(outcome)
    const { kind, delivery, text } = outcome
    const is = want.includes(' ') ? `${kind} ${delivery}` : kind
    return is === want ? [] : [`${is} in place of ${want}: ${text}`]
  })
}

/** Answers the first request of every other pair of calls itself. Gives the nonces it struck, as they come. */
function refuseOnce(rig: Rig, plans: readonly Planned[], answer: string, onStrike = () => {}): Set<string> {
  const victims = new Set(plans.filter((_, index) => index % 4 > 1).map(({ nonce }) => nonce))
  const struck = new Set<string>()
  hooksOf(rig).request = (bytes, passage) => {
    const text = bytes.toString('utf8')
    const victim = [...victims].find((nonce) => text.includes(nonce))
    if (victim === undefined) return bytes
    victims.delete(victim)
    struck.add(victim)
    onStrike()
    passage.answer(answer)
    return undefined
  }
  return struck
}

const HTTP_LINKS = ['L2', 'L3', 'L4', 'L5'] as const

export const answerCells: readonly Cell[] = [
  ...onLinks(HTTP_LINKS, [...replaced, ...statuses, twice]),
  ...onLinks(['L3', 'L4', 'L5'], [forgotten]),
  ...onLinks(['L1', ...HTTP_LINKS], [race]),
]
