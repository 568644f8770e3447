/** What the tools, resources and prompts of the files server share: where they may go, and whom they may ask. */

import { stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { AskingContext } from '@portico/sdk/server'
import { spellHidden } from '../text/plain-text.ts'
import { Confinement, PathError, type Reached, requireExisting, type Scope } from './confine.ts'
import type { FilesSettings } from './options.ts'
import { toRealRoots } from './roots.ts'

export class FilesHost {
  readonly settings: FilesSettings
  readonly confinement: Confinement
  /** Told of each path that a tool changed. */
  changed: (path: string) => void = () => {}

  private constructor(settings: FilesSettings, confinement: Confinement) {
    this.settings = settings
    this.confinement = confinement
  }

  static async open(settings: FilesSettings): Promise<FilesHost> {
    return new FilesHost(settings, await Confinement.open(settings.directories, settings.deny))
  }

  /** Asks for the client's roots, where it has any and they count (sec-121). */
  async scope(ctx: AskingContext): Promise<Scope> {
    if (!this.limitsToRoots(ctx)) return undefined
    return toRealRoots(await ctx.roots('roots'))
  }

  /** Whether only the client knows what may be reached: handlers that cannot ask it then know nothing. */
  limitsToRoots(ctx: Pick<AskingContext, 'client'>): boolean {
    const { roots } = ctx.client.capabilities
    return this.settings.followRoots && typeof roots === 'object' && roots !== null
  }

  async existing(path: string, ctx: AskingContext): Promise<Reached> {
    return requireExisting(await this.confinement.reach(path, await this.scope(ctx)), path)
  }

  /** A folder to look into: the one named, or the only one there is. */
  async folder(path: string | undefined, ctx: AskingContext): Promise<Reached> {
    const reached = await this.existingOrOnly(path, ctx)
    await this.requireFolder(reached)
    return reached
  }

  existingOrOnly(path: string | undefined, ctx: AskingContext): Promise<Reached> {
    return this.existing(path ?? this.#onlyDirectory(), ctx)
  }

  async requireFolder({ path }: Reached): Promise<void> {
    if ((await stat(path)).isDirectory()) return
    throw new PathError('absent', `${spellHidden(path)} is a file, not a directory: use read_file`)
  }

  #onlyDirectory(): string {
    const [only, ...others] = this.confinement.directories
    if (only !== undefined && others.length === 0) return only.real
    const names = this.confinement.directories.map(({ given }) => given).join(', ')
    throw new PathError('malformed', `Say which directory: ${names}`)
  }
}

export function toFileUri(path: string): string {
  return pathToFileURL(path).href
}
