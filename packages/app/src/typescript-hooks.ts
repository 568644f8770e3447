/**
 * Node's hooks behind `portico/typescript`: jiti for TypeScript only, since jiti's own hooks take every CommonJS file as well and
 * turn some into modules, which Node 20 then cannot link. They also give a file's exports as one object; here each is an export.
 */

import { readFile } from 'node:fs/promises'
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { createJiti, Jiti } from 'jiti'

let place: string
let jiti: Jiti

/** `jiti` is where it is: this thread cannot look it up. */
export const initialize: InitializeHook<{ readonly jiti: string }> = async (data) => {
  place = data.jiti
  const loaded: { readonly createJiti: typeof createJiti } = await import(place)
  jiti = loaded.createJiti(import.meta.url)
}

export const resolve: ResolveHook = (specifier, context, next) => {
  const { parentURL, conditions } = context
  if (!isOurs(specifier, parentURL)) return next(specifier, context)
  const url = jiti.esmResolve(specifier, { ...(parentURL !== undefined && { parentURL }), conditions })
  return { url, shortCircuit: true }
}

export const load: LoadHook = async (url, context, next) => {
  if (!isTypeScript(url)) return next(url, context)
  return { source: await toModule(fileURLToPath(url)), format: 'module', shortCircuit: true }
}

function isOurs(specifier: string, parent: string | undefined): boolean {
  if (!/^(?:\.\.?\/|file:)/.test(specifier) || /\.[cm]js$/.test(specifier)) return false
  return isTypeScript(specifier) || isTypeScript(parent)
}

function isTypeScript(url: string | undefined): boolean {
  return url !== undefined && /\.[cm]?tsx?(?:[?#].*)?$/.test(url)
}

/** What Node links: the same exports as the file has, while jiti runs it, once for all who import it. */
async function toModule(file: string): Promise<string> {
  const source = await readFile(file, 'utf8')
  const code = jiti.transform({ source, filename: file, ts: true, async: true, retainLines: true })
  const failed = /^exports\.__JITI_ERROR__ = (.*)$/s.exec(code)?.[1]
  if (failed !== undefined) throw toSyntaxError(JSON.parse(failed))
  const { names, all } = exportsOf(code)
  return [
    ...neighboursOf(code, file).map((url) => `import ${JSON.stringify(url)}`),
    `import { createJiti } from ${JSON.stringify(place)}`,
    `const file = ${JSON.stringify(file)}`,
    'const loaded = await createJiti(file).import(file)',
    ...names.map(
      (name, at) => `const _${at} = loaded[${JSON.stringify(name)}]\nexport { _${at} as ${JSON.stringify(name)} }`,
    ),
    ...all.map((name) => `export * from ${JSON.stringify(name)}`),
  ].join('\n')
}

function toSyntaxError(found: { filename: string; line: number; column: number; message: string }): Error {
  return new SyntaxError(`${found.message.trim()} (${found.filename}:${found.line}:${found.column})`)
}

const NAMED =
  /(?<![\w$])(?:exports\.([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=(?!=)|exports\["([^"\\]+)"\]\s*=(?!=)|Object\.defineProperty\(exports, "([^"\\]+)")/gu
const IMPORTED = /\bvar _[\w$]* = (?:_interopRequire\w+\()?await jitiImport\("(\.[^"\\]+)"\)/g
const STARRED = /Object\.keys\(([\w$]+)\)\.forEach\(function \(key\)/g

/** The TypeScript that it imports. Node has each run before this one: of two that begin a file at once, jiti would run it twice. */
function neighboursOf(code: string, file: string): readonly string[] {
  const parentURL = pathToFileURL(file).href
  return [...code.matchAll(IMPORTED)].flatMap(([, name = '']) => {
    const url = jiti.esmResolve(name, { parentURL, try: true })
    return url !== undefined && isTypeScript(url) ? [url] : []
  })
}

/** The names that the compiled file exports, and the modules of which it exports everything. */
function exportsOf(code: string): { readonly names: readonly string[]; readonly all: readonly string[] } {
  const names = new Set(
    [...code.matchAll(NAMED)].map(([, dotted, quoted, defined]) => dotted ?? quoted ?? defined ?? ''),
  )
  // What is no module exports one object.
  if (!names.delete('__esModule')) names.add('default')
  const all = [...code.matchAll(STARRED)].flatMap(([, variable = '']) => {
    const before = code.slice(0, code.indexOf(`Object.keys(${variable})`))
    const from = before.slice(before.lastIndexOf(`${variable} = `)).match(/jitiImport\("([^"\\]+)"\)/)?.[1]
    return from === undefined ? [] : [from]
  })
  return { names: [...names], all }
}
