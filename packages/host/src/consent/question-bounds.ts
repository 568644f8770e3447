/** How much may be asked: so that no server drowns the questions of the others, nor the person (sec-114). */

import { toCanonicalJson } from '../audit/canonical.ts'
import { HostError } from '../errors.ts'
import type { NewQuestion, Question } from './question.ts'

/** How many questions may wait, how quickly they may come, and how large they may be. Times are in milliseconds. */
export interface InboxLimits {
  /** Waiting questions of one server to one principal. */
  readonly maxPending: number
  /** Waiting questions in all. */
  readonly maxTotal: number
  /** New questions of one server to one principal in a minute. */
  readonly perMinute: number
  /** Of one question, as JSON. */
  readonly maxChars: number
  /** Of all waiting questions of one server to one principal. */
  readonly maxPendingChars: number
  /** Of all waiting questions in all; none gets more of it than is left for the others. */
  readonly maxTotalChars: number
  /** How long a question waits that has no end of its own. */
  readonly keepMs: number
}

/** The limits of an inbox where its options give no others. */
export const INBOX_LIMITS: InboxLimits = {
  maxPending: 32,
  maxTotal: 2_000,
  perMinute: 120,
  maxChars: 4_194_304,
  maxPendingChars: 16_777_216,
  maxTotalChars: 67_108_864,
  keepMs: 86_400_000,
}

const MINUTE = 60_000
const MAX_RATES = 10_000

interface Waiting {
  readonly question: Question
  readonly chars: number
}

export class QuestionBounds {
  readonly limits: InboxLimits
  /** The moments of the last minute's questions, by server and principal. */
  readonly #asked = new Map<string, number[]>()

  constructor(limits: Partial<InboxLimits> = {}) {
    this.limits = { ...INBOX_LIMITS, ...limits }
  }

  /** Returns the size of the question. Throws `denied` for one too many. */
  admit(asked: NewQuestion, waiting: Iterable<Waiting>, now: number): number {
    const { server, principal } = asked
    const { maxPending, maxTotal, perMinute, maxChars, maxPendingChars, maxTotalChars } = this.limits
    let total = 0
    let totalChars = 0
    let own = 0
    let ownChars = 0
    for (const { question, chars } of waiting) {
      total++
      totalChars += chars
      if (question.server !== server || question.principal !== principal) continue
      own++
      ownChars += chars
    }
    if (own >= maxPending) throw refused(server, `has ${own} questions waiting already`, 'maxPending')
    if (total >= maxTotal) throw refused(server, `cannot ask: ${total} questions are waiting`, 'maxTotal')
    const chars = toCanonicalJson(asked.body).length
    if (chars > maxChars) throw refused(server, 'asks too long a question', 'maxChars')
    if (ownChars + chars > maxPendingChars) throw refused(server, 'asks too much at once', 'maxPendingChars')
    // Whoever has much leaves as much again for others, so that there is room for one more.
    if (ownChars + chars > maxTotalChars - totalChars)
      throw refused(server, 'cannot ask: too much is waiting', 'maxTotalChars')
    const recent = this.#recent(JSON.stringify([server, principal ?? null]), now)
    if (recent.length >= perMinute) throw refused(server, `asked ${recent.length} questions in a minute`, 'perMinute')
    recent.push(now)
    return chars
  }

  #recent(key: string, now: number): number[] {
    const times = (this.#asked.get(key) ?? []).filter((at) => at > now - MINUTE)
    this.#asked.delete(key)
    this.#asked.set(key, times)
    if (this.#asked.size > MAX_RATES) this.#asked.delete(this.#asked.keys().next().value!)
    return times
  }
}

function refused(server: string, what: string, limit: keyof InboxLimits): HostError {
  const message = `"${server}" ${what}. Answer or withdraw some, or raise the inbox limit \`${limit}\`.`
  return new HostError('denied', message, { data: { reason: 'too-many-questions', limit } })
}
