/** Callers of the gateway: so many calls a second, of every kind, each of which has to end in what it asked for or a typed error. */

import { type Client, connect, PorticoError } from '@portico/sdk/client'
import type { Random } from './random.ts'

/** What became of the calls. */
export class Outcomes {
  sent = 0
  answered = 0
  /** Answers that belong to another call. */
  wrong = 0
  /** Calls that had no outcome long after their time. */
  hung = 0
  /** Not sent, since too many were on their way. */
  withheld = 0
  /** Errors by their code; one without is `untyped`. */
  readonly failed = new Map<string, number>()

  fail(error: unknown): void {
    const code = error instanceof PorticoError ? error.code : 'untyped'
    if (code === 'untyped') console.error('an error without a code:', error)
    this.failed.set(code, (this.failed.get(code) ?? 0) + 1)
  }

  toString(): string {
    const failed = [...this.failed].map(([code, count]) => `${code} ${count}`).join(', ') || 'none'
    return `${this.sent} sent, ${this.answered} answered, ${this.wrong} wrong, ${this.hung} hung, ${this.withheld} withheld; failed: ${failed}`
  }
}

const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const
const SERVERS = ['pipe', 'newest', 'older'] as const
/** How often each is called. */
const TOOLS = ['echo', 'echo', 'echo', 'echo', 'echo', 'echo', 'slow', 'ask'] as const
/** Longer than a machine with others to serve needs: what ends with it was lost. */
const CALL_MS = 60_000
const HUNG_MS = 120_000
const MAX_OPEN = 100
/** Many more than are on their way at a time, so that no answer of another call is taken for its own. */
const WORDS = 1_000

export class Load {
  readonly outcomes = new Outcomes()
  readonly #port: number
  readonly #random: Random
  readonly #clients: Client[] = []
  readonly #open = new Set<Promise<void>>()

  constructor(port: number, random: Random) {
    this.#port = port
    this.#random = random
  }

  async begin(): Promise<void> {
    for (const [at, versions] of [...VERSIONS, ...VERSIONS].entries()) {
      this.#clients.push(await openClient(this.#port, `caller-${at}`, versions))
    }
  }

  /** As much as goes through, for a time; how many a second that was. */
  async saturate(ms: number, callers: number): Promise<number> {
    const [began, before] = [performance.now(), this.outcomes.answered]
    const work = async (): Promise<void> => {
      while (performance.now() < began + ms) await this.#call()
    }
    await Promise.all(Array.from({ length: callers }, work))
    return ((this.outcomes.answered - before) * 1000) / (performance.now() - began)
  }

  /** One more call, unless too many are on their way. */
  send(): void {
    if (this.#open.size >= MAX_OPEN) {
      this.outcomes.withheld++
      return
    }
    const call = this.#call().finally(() => this.#open.delete(call))
    this.#open.add(call)
  }

  /** Waits for what is on its way and closes the clients. */
  async end(): Promise<void> {
    await Promise.all(this.#open)
    await Promise.all(this.#clients.splice(0).map((client) => client.close()))
  }

  async #call(): Promise<void> {
    const client = this.#random.of(this.#clients)
    const name = `${this.#random.of(SERVERS)}_${this.#random.of(TOOLS)}`
    // A conversation remembers what was said in it; so many different words are soon all there.
    const text = `word-${++this.outcomes.sent % WORDS}`
    let timer: ReturnType<typeof setTimeout> | undefined
    const hung = new Promise<'hung'>((resolve) => {
      timer = setTimeout(() => resolve('hung'), HUNG_MS)
    })
    try {
      const outcome = await Promise.race([hung, client.callTool(name, { text }, { timeoutMs: CALL_MS })])
      if (outcome === 'hung') this.outcomes.hung++
      else if (outcome.isError === true) this.outcomes.failed.set('tool', (this.outcomes.failed.get('tool') ?? 0) + 1)
      else if (textOf(outcome) === text) this.outcomes.answered++
      else this.outcomes.wrong++
    } catch (error) {
      this.outcomes.fail(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A caller who answers a question by repeating it. */
export async function openClient(port: number, who: string, versions: (typeof VERSIONS)[number]): Promise<Client> {
  return connect(`http://127.0.0.1:${port}/mcp`, {
    versions,
    headers: { authorization: who },
    elicitation: { form: ({ message }) => ({ action: 'accept', content: { text: message.split(' ').at(-1) ?? '' } }) },
  })
}

function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  const [block] = content as readonly { readonly text?: string }[]
  return block?.text ?? ''
}
