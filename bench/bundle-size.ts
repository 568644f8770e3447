/** What a program weighs in a bundle: what it loads at once, and with all that it can load later. */

import { dirname } from 'node:path'
import { buildSync } from 'esbuild'

export interface BundleSize {
  /** The entry and every chunk that it imports at once. */
  readonly atOnce: number
  readonly whole: number
}

/** Bundled for Node and minified, with what is loaded on demand in chunks of its own. */
export function bundleSize(program: string): BundleSize {
  const { metafile } = buildSync({
    absWorkingDir: dirname(program),
    entryPoints: [program],
    outdir: 'out',
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const { outputs } = metafile
  const reached = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith('.js')))
  // Parts that are loaded on demand are entries as well; the program is the one that nothing imports.
  for (const { imports } of Object.values(outputs)) for (const { path } of imports) reached.delete(path)
  for (const path of reached) {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind !== 'dynamic-import') reached.add(next)
  }
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce((all, path) => all + (outputs[path]?.bytes ?? 0), 0)
  return { atOnce: sum(reached), whole: sum(Object.keys(outputs)) }
}
