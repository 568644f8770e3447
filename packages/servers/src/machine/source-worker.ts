/**
 * Finds a module beside the one that asks, for a process of its own: the built file in an installation, the TypeScript file when
 * the caller itself runs from source.
 */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * The module as Node runs it without any loader: its own file, or a `data:` URL made of the source. `beside` is the caller's
 * `import.meta.url`; `name` has no extension.
 */
export function plainModule(beside: string, name: string): URL {
  const isSource = new URL(beside).pathname.endsWith('.ts')
  const module = new URL(`./${name}.${isSource ? 'ts' : 'js'}`, beside)
  return isSource ? toScript(module) : module
}

const scripts = new Map<string, URL>()

/**
 * Threads do not inherit the loader that a program runs from source with, and to register it in each takes long. So the
 * module is made plain once, by the compiler that the loader itself uses; packages are still found from where it stands.
 */
function toScript(module: URL): URL {
  const known = scripts.get(module.href)
  if (known !== undefined) return known
  const script = compile(module)
  scripts.set(module.href, script)
  return script
}

function compile(module: URL): URL {
  const from = createRequire(module)
  let esbuild: Compiler
  try {
    // What is loaded here has at least this function.
    esbuild = createRequire(from.resolve('tsx'))('esbuild') as Compiler
  } catch {
    // An installation of the sources alone: a newer Node reads TypeScript by itself.
    return module
  }
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [fileURLToPath(module)],
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node20' },
    // What we have as source ourselves is made plain along with it.
    ...{ external: libraries(), conditions: ['portico-source'] },
    // From a `data:` URL, packages are only found by the function below.
    supported: { 'dynamic-import': false },
  })
  const head = `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(module.href)}); const module = { exports: {} };`
  return new URL(`data:text/javascript,${encodeURIComponent(`${head}\n${outputFiles[0]?.text}`)}`)
}

/** The libraries of this package, by its manifest; a source always stands two folders below it. */
function libraries(): string[] {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
  return names.filter((name) => !name.startsWith('@portico/'))
}

interface Manifest {
  readonly dependencies: { readonly [name: string]: string }
  readonly optionalDependencies: { readonly [name: string]: string }
}

interface Compiler {
  buildSync(options: { [option: string]: unknown }): { readonly outputFiles: readonly { readonly text: string }[] }
}
