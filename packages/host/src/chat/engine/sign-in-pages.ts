/**
 * Signing in from a chat. The link goes to one person alone; the page says for whom it is; and what the browser brings back counts only
 * when that person types the code of the last page into the chat. Somebody who gets another to open their link gets nothing: the
 * code is on the other's screen.
 */

import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { checkPageUrl, type UserAgent } from '@portico/sdk/auth'
import { PorticoError } from '@portico/sdk/server'
import { sha256 } from '../../audit/canonical.ts'
import { HostError } from '../../errors.ts'
import type { ChatPerson } from './adapter.ts'
import { page } from './html.ts'

/** A sign-in under way. */
interface Visit {
  readonly person: ChatPerson
  readonly server: string
  readonly target: URL
  readonly label: string
  readonly cookie: string
  readonly settle: (params: URLSearchParams) => void
  readonly fail: (error: Error) => void
  begun: boolean
  back?: URLSearchParams
  code?: string
  wrong: number
}

interface SignInPagesOptions {
  /** Where browsers reach the pages: https, or http on this machine. */
  readonly url: string
  /** How a person is called on the page. */
  label(person: ChatPerson): string
  /** Gives the link to the person, and to nobody else. */
  show(person: ChatPerson, server: string, link: string, id: string): Promise<void>
}

const VISIT_MS = 10 * 60_000
const MAX_VISITS = 500
const MAX_WRONG = 3

export class SignInPages {
  readonly #options: SignInPagesOptions
  readonly #base: URL
  readonly #visits = new Map<string, Visit>()

  constructor(options: SignInPagesOptions) {
    this.#options = options
    this.#base = checkPageUrl(options.url)
    if (!this.#base.pathname.endsWith('/')) this.#base.pathname += '/'
  }

  userAgent(person: ChatPerson, server: string): UserAgent {
    return {
      redirectUri: () => new URL('back', this.#base).href,
      open: (target, signal) => this.#open(person, server, target, signal),
    }
  }

  /** What the person typed; a sentence where it is not the code, undefined where it is. */
  enterCode(id: string, person: ChatPerson, typed: string): string | undefined {
    const visit = this.#visits.get(id)
    if (visit === undefined || visit.person.id !== person.id || visit.person.team !== person.team) {
      return 'This sign-in is over. Begin again.'
    }
    if (visit.code === undefined || visit.back === undefined)
      return 'Finish the page in the browser first; it ends with a code.'
    if (isEqual(typed.replace(/\s/g, ''), visit.code)) {
      visit.settle(visit.back)
      return undefined
    }
    if (++visit.wrong >= MAX_WRONG) {
      visit.fail(new HostError('denied', 'The code was wrong too often'))
      return 'This was wrong too often. Begin again.'
    }
    return 'This is not the code of the page.'
  }

  /** Answers a browser; undefined for addresses that are not the pages'. */
  answer(request: Request): Response | undefined {
    const { pathname, searchParams } = new URL(request.url)
    if (!pathname.startsWith(this.#base.pathname)) return undefined
    const name = pathname.slice(this.#base.pathname.length)
    if (name === 'back') return this.#back(searchParams, cookieOf(request))
    const visit = this.#visits.get(name)
    if (visit === undefined) return page(404, 'This link is not valid', ['It was used, or it has expired.'])
    if (request.method === 'GET') return this.#introduce(visit, name)
    if (request.method !== 'POST') return page(405, 'Not here', [])
    if (visit.begun) return page(409, 'This link was used', ['Begin again in the chat.'])
    visit.begun = true
    const headers = {
      location: visit.target.href,
      'set-cookie': `portico-sign-in=${visit.cookie}; Path=${this.#base.pathname}; HttpOnly; SameSite=Lax; Max-Age=600${this.#base.protocol === 'https:' ? '; Secure' : ''}`,
    }
    return new Response(null, { status: 303, headers })
  }

  close(): void {
    for (const visit of [...this.#visits.values()]) visit.fail(new HostError('closed', 'The host is closed'))
  }

  #introduce({ target, label, server }: Visit, action: string): Response {
    return page(
      200,
      'Connect your account',
      [
        `Your account at ${target.host} will be used for "${server}" by ${label} in the chat.`,
        'Go on only if that is you and you have just asked for it. If somebody sent you this link, close the page.',
      ],
      { button: 'Continue', action, target: target.origin },
    )
  }

  #back(params: URLSearchParams, cookie: string | undefined): Response {
    const state = params.get('state')
    const visit = [...this.#visits.values()].find((one) => one.target.searchParams.get('state') === state)
    if (state === null || visit === undefined || cookie === undefined || !isEqual(cookie, visit.cookie)) {
      return page(400, 'This sign-in was not begun in this browser', ['Begin again in the chat.'])
    }
    if (visit.back !== undefined) return page(409, 'This page was used', ['Begin again in the chat.'])
    visit.back = params
    if (params.get('error') !== null) {
      visit.settle(params)
      return page(200, 'You are not signed in', ['You can close this page.'])
    }
    visit.code = String(randomInt(0, 100_000_000)).padStart(8, '0')
    const words = [`Type this code into the chat, as ${visit.label}:`, visit.code, 'Tell it to nobody.']
    return page(200, 'One more step', words)
  }

  #open(person: ChatPerson, server: string, target: URL, signal: AbortSignal): Promise<URLSearchParams> {
    const { label, show } = this.#options
    if (this.#visits.size >= MAX_VISITS)
      throw new PorticoError('limit-exceeded', 'Too many people are signing in. Try again.')
    const id = randomBytes(24).toString('base64url')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(late())), VISIT_MS)
      timer.unref()
      const onAbort = (): void => end(() => reject(signal.reason))
      const end = (outcome: () => void): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#visits.delete(id)
        outcome()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#visits.set(id, {
        person,
        server,
        target,
        label: label(person),
        cookie: randomBytes(24).toString('base64url'),
        settle: (params) => end(() => resolve(params)),
        fail: (error) => end(() => reject(error)),
        begun: false,
        wrong: 0,
      })
      show(person, server, new URL(id, this.#base).href, id).catch((error) => end(() => reject(error)))
    })
  }
}

function late(): HostError {
  return new HostError('denied', 'Nobody signed in within ten minutes')
}

function cookieOf(request: Request): string | undefined {
  return /(?:^|;\s*)portico-sign-in=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
}

/** By their digests, so that neither length nor content shows in the time it takes. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)))
}
