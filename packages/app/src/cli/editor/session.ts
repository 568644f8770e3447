/**
 * One editor and its host, from `initialize` to the end of the standard input. Before the editor has said who it is and
 * which protocol it speaks, nothing is read from the disk and nothing is started.
 */

import type { Host } from '@portico/host'
import type { JsonObject } from '@portico/sdk/client'
import type { Server } from '@portico/sdk/server'
import type { Channel } from '@portico/sdk/transport'
import { list, object, oneOf, optional, ParamsError, readParams, text } from '../../web/http/params.ts'
import { type AskEditor, createEditorServer, partsOf, tellChanged } from './editor-server.ts'
import { CANCELLED, FAILED, INVALID_PARAMS, INVALID_REQUEST, LinePeer, METHOD_UNKNOWN, PeerError } from './line-peer.ts'
import { createMethods, type MethodCall } from './methods.ts'
import { forwardNews, type Tell } from './news.ts'
import { EDITOR_LIMITS, EDITOR_PROTOCOL, type EditorOffer } from './protocol.ts'
import { Turns } from './turns.ts'

/** What the editor brings along to the host that is made for it. */
export interface EditorSetup {
  readonly offers: readonly EditorOffer[]
  /** The editor's own server, where it offers something. */
  readonly server: Server | undefined
  ask: AskEditor
}

interface EditorSessionOptions {
  readonly channel: Channel
  readonly version: string
  readonly folder: string
  openHost(setup: EditorSetup): Promise<Host>
  /** Any error in one line, with a word for programs. */
  describe(error: unknown): { readonly code: string; readonly message: string; readonly remedy?: string }
  /** Opens a page where the editor does not. */
  openPage(url: URL): Promise<boolean>
}

const OFFERS = ['files', 'diagnostics', 'selection', 'input', 'secrets', 'page'] as const
/** What waits for a person has no end of its own. */
const PATIENT: ReadonlySet<string> = new Set(['editor/input'])
const MAX_LABEL = 60

interface Ready {
  readonly host: Host
  readonly methods: ReturnType<typeof createMethods>
  stop(): void
}

export class EditorSession {
  readonly #options: EditorSessionOptions
  readonly #peer: LinePeer
  #opening: Promise<Ready> | undefined
  #server: Server | undefined
  readonly #gone: Promise<Error | undefined>

  constructor(options: EditorSessionOptions) {
    this.#options = options
    let leave: (reason?: Error) => void = () => {}
    this.#gone = new Promise((resolve) => {
      leave = resolve
    })
    this.#peer = new LinePeer(options.channel, {
      answer: (method, params, call) => this.#answer(method, params, call),
      notified: (method, params) => this.#notified(method, params),
      toError: (error) => this.#toError(error),
      closed: leave,
    })
  }

  /** Until the editor is gone or `signal` fires; everything that was started has ended then. */
  async run(signal: AbortSignal): Promise<Error | undefined> {
    const end = (): void => void this.#peer.close()
    signal.addEventListener('abort', end, { once: true })
    this.#peer.open()
    if (signal.aborted) end()
    const reason = await this.#gone
    signal.removeEventListener('abort', end)
    const ready = await this.#opening?.catch(() => undefined)
    ready?.stop()
    await ready?.host.close()
    return reason
  }

  async #answer(method: string, params: JsonObject, call: MethodCall): Promise<object> {
    if (method === 'initialize') return this.#initialize(params)
    if (this.#opening === undefined)
      throw new PeerError(INVALID_REQUEST, 'Say "initialize" first', { code: 'not-initialized' })
    if (method === 'shutdown') {
      // The answer goes out first.
      setImmediate(() => void this.#peer.close())
      return {}
    }
    const { methods } = await this.#opening
    if (!Object.hasOwn(methods, method))
      throw new PeerError(METHOD_UNKNOWN, 'There is no such method', { code: 'unknown-method' })
    // It is one of them, as was just seen.
    return methods[method as keyof typeof methods](params, call)
  }

  async #initialize(params: JsonObject): Promise<object> {
    if (this.#opening !== undefined)
      throw new PeerError(INVALID_REQUEST, '"initialize" was said already', { code: 'initialized' })
    const {
      protocol,
      editor,
      offers = [],
    } = readParams(params, {
      protocol: (value) => value,
      editor: object,
      plugin: optional(text),
      offers: optional(list(oneOf(OFFERS))),
    })
    if (protocol !== EDITOR_PROTOCOL) {
      const remedy = 'Update the plugin or portico, so that both speak the same.'
      throw new PeerError(INVALID_REQUEST, `This host speaks version ${EDITOR_PROTOCOL} of the protocol`, {
        code: 'wrong-protocol',
        remedy,
      })
    }
    const { name } = readParams(editor, { name: text, version: text })
    if (!/^[\w .-]+$/.test(name) || name.length > MAX_LABEL)
      throw new ParamsError('"editor.name" must be a short plain name')
    this.#opening = this.#open(name, offers)
    try {
      await this.#opening
    } catch (error) {
      this.#opening = undefined
      throw error
    }
    const { version, folder } = this.#options
    return { protocol: EDITOR_PROTOCOL, version, folder, limits: EDITOR_LIMITS }
  }

  async #open(by: string, offers: readonly EditorOffer[]): Promise<Ready> {
    const ask: AskEditor = (method, params) =>
      this.#peer.request(method, params, PATIENT.has(method) ? undefined : EDITOR_LIMITS.answerMs)
    const parts = partsOf(offers)
    this.#server = parts.length === 0 ? undefined : createEditorServer(ask, parts, this.#options.version)
    const host = await this.#options.openHost({ offers, server: this.#server, ask })
    const tell: Tell = (event, params, coalesce) => this.#peer.notify(event, params, coalesce)
    const openPage = async (url: URL): Promise<boolean> => {
      if (!offers.includes('page')) return this.#options.openPage(url).catch(() => false)
      const answer = await ask('editor/page', { url: url.href }).catch(() => undefined)
      return (answer as { readonly opened?: unknown } | undefined)?.opened === true
    }
    const turns = new Turns(host, tell)
    return { host, methods: createMethods({ host, turns, by, tell, openPage }), stop: forwardNews(host, tell) }
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'cancel') this.#peer.cancel(params.id)
    if (method === 'editor/changed' && this.#server !== undefined) tellChanged(this.#server, params.what)
  }

  #toError(error: unknown): PeerError {
    if (error instanceof PeerError) return error
    if (error instanceof ParamsError) return new PeerError(INVALID_PARAMS, error.message, { code: 'bad-request' })
    const { code, message, remedy } = this.#options.describe(error)
    const rpcCode = code === 'aborted' ? CANCELLED : FAILED
    return new PeerError(rpcCode, message, { code, ...(remedy !== undefined && { remedy }) })
  }
}
