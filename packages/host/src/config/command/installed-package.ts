/**
 * Whether a package runner finds what it names in the project's `node_modules`, where the project's lockfile has fixed the
 * version, or would fetch it. One place for what is approved (`local-parts.ts`) and what is warned of (`inspect-command.ts`).
 */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launchOf } from '../trust/package-reference.ts'

/** Where the package is that is taken instead of fetched. `folder` is the one that the program is started in. */
export function installedPackageOf(
  program: { readonly command: string; readonly args: readonly string[] },
  folder: string,
): string | undefined {
  const reference = launchOf(program)?.reference
  if (reference?.registry !== 'npm' || reference.remote || !/^[@\w]/.test(reference.name)) return undefined
  // A version or a tag may be another than the one that is there, and `dlx` fetches whatever is there.
  if (reference.version !== undefined || program.args.includes('dlx')) return undefined
  for (let at = folder; ; at = dirname(at)) {
    const place = join(at, 'node_modules', reference.name)
    if (existsSync(place)) return place
    if (dirname(at) === at) return undefined
  }
}
