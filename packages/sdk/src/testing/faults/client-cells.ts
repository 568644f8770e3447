/** The faults that any client of an HTTP server can be tried with: what its network and its server do to it. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultProxy } from './proxy.ts'
import type { Seeded } from './seeded.ts'
import { answerOf, type WorkSite } from './work-server.ts'

interface Surroundings {
  readonly proxy: FaultProxy
  readonly site: WorkSite
  readonly seeded: Seeded
  /** The calls that are about to be made. */
  readonly nonces: readonly string[]
}

export interface ClientCell {
  readonly fault: number
  readonly about: string
  /** Set up before the calls are made. */
  before?(here: Surroundings): void
  /** While they are under way. */
  during?(here: Surroundings): unknown
  /** The fault is one that costs time only: every call must have its result. */
  readonly harmless?: boolean
}

const head = (status: string, type: string, length: number) =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`

/** Answers every fourth call with other bytes in place of its answer. */
const replaced = (about: string, answer: string): ClientCell => ({
  fault: 14,
  about,
  before({ proxy, nonces }) {
    const victims = nonces.filter((_, index) => index % 4 === 1)
    proxy.hooks.response = (bytes) =>
      victims.some((nonce) => bytes.includes(answerOf(nonce))) ? Buffer.from(answer) : bytes
  },
})

/** Refuses every other call once, before the server sees it. */
const refused = (status: number, header: string): ClientCell => ({
  fault: 18,
  about: `${status}${header === '' ? '' : ` with ${header.trim()}`}`,
  before({ proxy, nonces }) {
    const victims = new Set(nonces.filter((_, index) => index % 2 === 1))
    proxy.hooks.request = (bytes, passage) => {
      const victim = [...victims].find((nonce) => bytes.includes(nonce))
      if (victim === undefined) return bytes
      victims.delete(victim)
      passage.answer(`HTTP/1.1 ${status} No\r\n${header}content-length: 0\r\n\r\n`)
      return undefined
    }
  },
})

const resets = (which: 'request' | 'response'): ClientCell => ({
  fault: 13,
  about: `reset in the middle of ${which === 'request' ? 'requests' : 'answers'}`,
  before({ proxy, seeded, nonces }) {
    let pieces = 0
    proxy.hooks[which] = (bytes, passage) => {
      if (!nonces.some((nonce) => bytes.includes(nonce)) || ++pieces % 4 !== 1) return bytes
      const part = bytes.subarray(0, seeded.pick(bytes.length))
      setTimeout(() => passage.reset(), 5)
      if (which === 'request') return part
      passage.answer(part)
      return undefined
    }
  },
})

export const CLIENT_CELLS: readonly ClientCell[] = [
  { fault: 0, about: 'nothing breaks, for comparison', harmless: true },
  resets('request'),
  resets('response'),
  {
    fault: 13,
    about: 'every connection reset at once',
    async during({ proxy }) {
      await sleep(10)
      proxy.cut('reset')
    },
  },
  replaced('202 in place of the answer', 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'),
  replaced('an empty 200', head('200 OK', 'application/json', 0)),
  replaced('another content type', `${head('200 OK', 'text/html', 4)}<p/>`),
  replaced('a stream that ends without the response', `${head('200 OK', 'text/event-stream', 3)}:\n\n`),
  {
    fault: 15,
    about: 'no packets for half a second',
    harmless: true,
    async during({ proxy }) {
      proxy.hold()
      await sleep(500)
      proxy.release()
    },
  },
  {
    fault: 16,
    about: 'a few bytes at a time, both ways',
    harmless: true,
    before({ proxy }) {
      proxy.pace = { bytes: 16, everyMs: 0 }
    },
  },
  refused(500, ''),
  refused(503, ''),
  refused(503, 'retry-after: 1\r\n'),
  refused(429, 'retry-after: 1\r\n'),
  {
    fault: 19,
    about: 'the server is restarted where it was',
    async during({ site, proxy }) {
      await sleep(5)
      await site.stop()
      proxy.cut('reset')
      await site.start()
    },
  },
]
