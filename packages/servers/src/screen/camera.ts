/** Takes the pictures: the provider behind the user's consent, and what it took last. */

import { type AskingContext, ToolError } from '@portico/sdk/server'
import { spellHidden } from '../text/plain-text.ts'
import type { Capture, Captures } from './captures.ts'
import { type Consents, userOf } from './consent.ts'
import { openProvider } from './open-provider.ts'
import type { ScreenSettings } from './options.ts'
import type { Picture, ScreenProvider, Target } from './provider.ts'

/** The provider, opened when first wanted, behind the user's consent. */
export class Camera {
  readonly #settings: ScreenSettings
  readonly #consents: Consents
  readonly captures: Captures
  #provider: Promise<ScreenProvider | string> | undefined

  constructor(settings: ScreenSettings, consents: Consents, captures: Captures) {
    this.#settings = settings
    this.#consents = consents
    this.captures = captures
  }

  async provider(): Promise<ScreenProvider> {
    this.#provider ??= openProvider(this.#settings)
    const provider = await this.#provider
    if (typeof provider !== 'string') return provider
    // What was missing may have been installed by the next time.
    this.#provider = undefined
    throw new ToolError(provider)
  }

  async capture(target: Target, ctx: AskingContext): Promise<Picture> {
    const provider = await this.provider()
    await this.#consents.require(ctx)
    return shoot(provider, target, ctx.signal)
  }

  /** The same, and keeps it where it may. */
  async take(target: Target, ctx: AskingContext): Promise<{ readonly picture: Picture; readonly kept?: Capture }> {
    const picture = await this.capture(target, ctx)
    const name = target.kind === 'display' ? `Screen ${target.number}` : `Window ${target.id}`
    const kept = this.captures.add(userOf(ctx), name, picture)
    return { picture, ...(kept && { kept }) }
  }

  /** Titles tell a lot of what somebody does. */
  async windows(ctx: AskingContext) {
    const provider = await this.provider()
    await this.#consents.require(ctx)
    return provider.windows(ctx.signal)
  }

  /** For the watch: nobody is asked, so nothing is looked at that nobody agreed to. */
  async glance(target: Target): Promise<Picture | undefined> {
    if (!this.#consents.isGiven) return undefined
    return shoot(await this.provider(), target)
  }

  /** For lists: nothing is asked and nothing fails. */
  async displays() {
    return this.provider()
      .then((provider) => provider.displays())
      .catch(() => [])
  }
}

/** Programs take a screen that is not there for the first one, or wait for it. */
async function shoot(provider: ScreenProvider, target: Target, signal?: AbortSignal): Promise<Picture> {
  if (target.kind === 'display') {
    const displays = await provider.displays(signal)
    if (!displays.some(({ number }) => number === target.number)) {
      const names = displays.map(({ number, name }) => `${number} (${spellHidden(name)})`).join(', ')
      throw new ToolError(`There is no screen ${target.number}. There is: ${names || 'none'}.`)
    }
  } else if (!(await provider.hasWindow(target.id, signal))) {
    throw new ToolError(`There is no window ${target.id}. list_screens shows those that there are.`)
  }
  return provider.capture(target, signal)
}
