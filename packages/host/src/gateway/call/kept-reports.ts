/** What a server reports while its call waits for the client's answers: kept, within bounds, for the run that comes next. */

import type { Progress } from '@portico/sdk/client'
import { isLogLevel } from '@portico/sdk/internal'
import type { AskingContext, JsonObject } from '@portico/sdk/server'
import { type CallPlaces, isKept, keptBytes, keptProgress, type WaitingCall } from './call-places.ts'

interface KeptOptions {
  readonly places: CallPlaces
  /** Log messages that are kept between two rounds. */
  readonly maxKept: number
}

export class KeptReports {
  readonly #call: WaitingCall
  readonly #options: KeptOptions
  readonly #logs: { readonly params: JsonObject; readonly bytes: number }[] = []
  #progress: Progress | undefined
  #lost = 0

  constructor(call: WaitingCall, options: KeptOptions) {
    this.#call = call
    this.#options = options
  }

  progress(progress: Progress): void {
    this.#progress = keptProgress(progress)
  }

  log(params: JsonObject): void {
    const { places, maxKept } = this.#options
    const bytes = keptBytes(params)
    if (!isKept(places, this.#call, bytes)) this.#lost++
    else this.#logs.push({ params, bytes })
    if (this.#logs.length <= maxKept) return
    places.unkeep(this.#call, this.#logs.shift()?.bytes ?? 0)
    this.#lost++
  }

  tell(ctx: AskingContext): void {
    if (this.#progress !== undefined) {
      const { progress, total, message } = this.#progress
      ctx.progress(progress, total, message)
      this.#progress = undefined
    }
    if (this.#lost > 0)
      ctx.log('warning', `${this.#lost} log messages were dropped: maxKept or maxKeptBytes exceeded`, 'gateway')
    this.#lost = 0
    for (const { params, bytes } of this.#logs.splice(0)) {
      this.#options.places.unkeep(this.#call, bytes)
      tellLog(ctx, params)
    }
  }
}

export function tellLog(ctx: AskingContext, { level, data, logger }: JsonObject): void {
  if (isLogLevel(level)) ctx.log(level, data, typeof logger === 'string' ? logger : undefined)
}
