/** One turn of a conversation on the screen: the model's words on standard output, what it does on standard error. */

import type { CallView, Conversation, TurnEvent } from '@portico/host/model'
import { sayError } from '../say-error.ts'
import { textOfResult } from '../terminal/content.ts'
import type { Io } from '../terminal/io.ts'
import { toLine, toPlain, toShown } from '../terminal/plain-text.ts'

type TurnEnd = Extract<TurnEvent, { readonly type: 'end' }>

/** Without a text, the model goes on with what tasks have come to meanwhile. */
export async function takeTurn(
  conversation: Conversation,
  text: string | undefined,
  io: Io,
  { json = false, model }: { readonly json?: boolean; readonly model?: string } = {},
): Promise<TurnEnd> {
  let end: TurnEnd = { type: 'end', reason: 'cancelled' }
  const screen = new TurnScreen(io)
  const listen = (event: TurnEvent): void => {
    if (event.type === 'end') end = event
    if (json) io.out(JSON.stringify(event, (key, value) => (key === 'error' ? String(value?.message ?? value) : value)))
    else screen.show(event)
  }
  const options = { ...(model !== undefined && { model }) }
  if (text === undefined) await conversation.proceed(listen, options)
  else await conversation.send(text, listen, options)
  return end
}

const RESULT_CHARS = 300
const COLOURS = { ok: 'green', task: 'cyan', denied: 'yellow' } as { readonly [status: string]: keyof Io['paint'] }

function wordsOf({ result, reason = '' }: CallView): string {
  return result === undefined ? reason : textOfResult(result)
}

class TurnScreen {
  readonly #io: Io
  readonly #shown = new Map<string, CallView['status']>()
  /** The last thing on standard output did not end its line. */
  #open = false

  constructor(io: Io) {
    this.#io = io
  }

  show(event: TurnEvent): void {
    const { paint } = this.#io
    switch (event.type) {
      case 'text':
        this.#io.progress(undefined)
        this.#io.write(toShown(event.delta, this.#io))
        this.#open = true
        break
      case 'text-end':
        this.#endLine()
        break
      case 'call':
        this.#showCall(event.call)
        break
      case 'notice':
        this.#endLine()
        this.#io.say(`${paint.yellow('note')}: ${toLine([event.text, event.remedy ?? ''].join(' '), 500)}`)
        break
      case 'usage':
        break
      case 'end':
        this.#endLine()
        if (event.reason === 'cancelled') this.#io.say(paint.yellow('Cancelled.'))
        if (event.error !== undefined) this.#showError(event.error)
    }
  }

  #showError({ message, data }: NonNullable<TurnEnd['error']>): void {
    const { remedy } = (data ?? {}) as { remedy?: unknown }
    const hint = typeof remedy === 'string' ? `${toPlain(remedy)} \`portico models\` lists those there are.` : undefined
    sayError(toPlain(message), hint, this.#io)
  }

  #showCall(call: CallView): void {
    const { paint } = this.#io
    const before = this.#shown.get(call.id)
    this.#shown.set(call.id, call.status)
    if (before === undefined) {
      this.#endLine()
      this.#io.say(
        `${paint.cyan('▸')} ${toLine(call.server, 60)} ${paint.bold(toLine(call.name, 60))} ${paint.dim(toLine(JSON.stringify(call.arguments), 300))}`,
      )
    }
    if (call.status === 'running') this.#showProgress(call)
    if (call.status === 'running' || call.status === 'waiting' || call.status === before) return
    this.#io.progress(undefined)
    const colour = COLOURS[call.status] ?? 'red'
    const waited = call.waitedMs === undefined ? '' : ` (and ${(call.waitedMs / 1000).toFixed(1)} s for your answer)`
    const time = call.durationMs === undefined ? '' : ` ${Math.round(call.durationMs)} ms${waited}`
    const words = call.task === undefined ? wordsOf(call) : `${call.task} goes on by itself; its result comes later`
    this.#io.say(`  ${paint[colour](call.status)}${paint.dim(time)} ${toLine(words, RESULT_CHARS)}`)
  }

  #showProgress({ name, progress }: CallView): void {
    if (progress === undefined) return
    const { progress: done, total, message = '' } = progress
    this.#io.progress(toLine(`${name} ${done}${total === undefined ? '' : `/${total}`} ${message}`))
  }

  #endLine(): void {
    if (this.#open) this.#io.write('\n')
    this.#open = false
  }
}
