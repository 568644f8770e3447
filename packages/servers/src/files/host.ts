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

  /** Folders to look into: the one named, or all there are, each once though one may lie within another. */
  async folders(path: string | undefined, ctx: AskingContext): Promise<Places> {
    const places = await this.places(path, ctx)
    for (const place of places) await this.requireFolder(place)
    const [first, ...others] = places.filter(
      ({ path: one }) => !places.some(({ path: other }) => other !== one && isInside(one, other)),
    )
    return [first ?? places[0], ...others]
  }

  /** Without a path: the client's roots in here, or the directories. */
  async places(path: string | undefined, ctx: AskingContext): Promise<Places> {
    const scope = await this.scope(ctx)
    if (path !== undefined) return [requireExisting(await this.confinement.reach(path, scope), path)]
    const found = new Map<string, Reached>()
    let missing: PathError | undefined
    for (const wanted of this.#offered(scope)) {
      try {
        const reached = requireExisting(await this.confinement.reach(wanted, scope), wanted)
        found.set(reached.path, reached)
      } catch (error) {
        if (!(error instanceof PathError)) throw error
        missing ??= error
      }
    }
    const [first, ...others] = found.values()
    if (first === undefined) throw missing ?? new PathError('absent', 'There is no directory to look into')
    return [first, ...others]
  }

  async requireFolder({ path }: Reached): Promise<void> {
    if ((await stat(path)).isDirectory()) return
    throw new PathError('absent', `${spellHidden(path)} is a file, not a directory: use read_file`)
  }

  /** Roots within directories, and directories within roots. */
  #offered(scope: Scope): string[] {
    const { directories } = this.confinement
    if (scope === undefined) return directories.map(({ given }) => given)
    return [
      ...scope.filter((root) => directories.some(({ real }) => isInside(root, real))),
      ...directories.filter(({ real }) => scope.some((root) => isInside(real, root))).map(({ given }) => given),
    ]
  }
}

/** At least one. */
type Places = readonly [Reached, ...Reached[]]

export function toFileUri(path: string): string {
  return pathToFileURL(path).href
}
