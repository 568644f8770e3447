/** What the tools, resources and prompts of the files server share: where they may go, and whom they may ask. */

import { stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { AskingContext } from '@portico/sdk/server'
import { isInside } from '../machine/path-text.ts'
import { spellHidden } from '../text/plain-text.ts'
import { Confinement, PathError, type Reached, requireExisting, type Scope } from './confine.ts'
import type { FilesSettings } from './options.ts'
import { chooseAmong, toRootPlaces } from './roots.ts'

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
    return chooseAmong(await toRootPlaces(await ctx.roots('roots')), this.confinement.directories)
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

  /** Without a path: the client's only root in here, or the only directory. */
  async existingOrOnly(path: string | undefined, ctx: AskingContext): Promise<Reached> {
    const scope = await this.scope(ctx)
    const wanted = path ?? this.#onlyPlace(scope)
    return requireExisting(await this.confinement.reach(wanted, scope), wanted)
  }

  async requireFolder({ path }: Reached): Promise<void> {
    if ((await stat(path)).isDirectory()) return
    throw new PathError('absent', `${spellHidden(path)} is a file, not a directory: use read_file`)
  }

  #onlyPlace(scope: Scope): string {
    const { directories } = this.confinement
    const chosen = scope?.filter((root) => directories.some(({ real }) => isInside(root, real))) ?? []
    const places = chosen.length > 0 ? chosen : directories.map(({ given }) => given)
    const [only, ...others] = places
    if (only !== undefined && others.length === 0) return only
    throw new PathError('malformed', `Say which directory: ${places.map(spellHidden).join(', ')}`)
  }
}

export function toFileUri(path: string): string {
  return pathToFileURL(path).href
}
