/**
 * Holds the import rules of the repository: folders of packages, suites and benchmarks are layers and imports point downward, packages reach
 * each other through doors and only in the direction of the table below, nothing imports in a circle. Imports of types
 * count like any other, because a reader follows them too.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readImports } from '../imports.mjs'
import { reportIfMain } from '../report.mjs'
import { isInternalDoor, isTestFile, listCode, readPackages } from '../tree.mjs'

const TOP = 9
/** The files of a folder that are in no folder below it. */
const OWN = 'the folder itself'

/** Folders by package and their ranks. Folders of equal rank never import each other, except the topmost. */
const SDK = new Map([
  ['text', -1],
  ...['framing', 'jsonrpc', 'schema', 'auth', 'state'].map((folder) => [folder, 0]),
  ['protocol', 1],
  ...['session', 'transport'].map((folder) => [folder, 2]),
  ...['server', 'client'].map((folder) => [folder, 3]),
  ...['serve', 'connect'].map((folder) => [folder, 4]),
  ...['testing', 'doors'].map((folder) => [folder, TOP]),
])
const HOST = new Map([
  ['errors.ts', -1],
  ...['config', 'audit', 'tokens', 'authorization-server', 'state'].map((folder) => [folder, 0]),
  ...['policy', 'upstream', 'cluster'].map((folder) => [folder, 1]),
  ['consent', 2],
  ['guard', 3],
  ['model', 4],
  ['assembly', 5],
  ...['chat', 'gateway'].map((folder) => [folder, 6]),
  ['doors', TOP],
])
const SERVERS = new Map([
  ...['caller.ts', 'cursor.ts', 'entry.ts', 'subscribers.ts', 'machine', 'text'].map((name) => [name, 0]),
  ...['answers.ts', 'confirmation.ts', 'entry-values.ts', 'network'].map((name) => [name, 1]),
  ['vendor', 2],
  ['documents', 2],
  ...['asana', 'browser', 'everything', 'files', 'git', 'github', 'graphql', 'knowledge'].map((folder) => [folder, 3]),
  ...['memory', 'mongo', 'notion', 'openapi', 'run', 'screen', 'slack', 'sql', 'time', 'web'].map((folder) => [
    folder,
    3,
  ]),
  ...['editor', 'google'].map((folder) => [folder, 4]),
  ['registry.ts', 5],
  ['doors', TOP],
])
const APP = new Map([
  ...['exit-codes.ts', 'typescript-hooks.ts'].map((name) => [name, 0]),
  ...['access', 'definition', 'recording', 'scaffold'].map((folder) => [folder, 1]),
  ['web', 2],
  ['cli', 3],
  ['doors', TOP],
])
const UI = new Map([
  ['theme.ts', 0],
  ['app', 1],
  ['parts', 2],
  ...['servers', 'policy', 'timeline'].map((folder) => [folder, 3]),
  ['inbox', 4],
  ...['items', 'tasks'].map((folder) => [folder, 5]),
  ['chat', 6],
  ['shell', 7],
  ['main.tsx', TOP],
])
const RANKS = new Map([
  ['sdk', SDK],
  ['host', HOST],
  ['servers', SERVERS],
  ['app', APP],
  ['ui', UI],
])

/** The same for what stands outside of packages. */
const TESTS = new Map([
  ...['support', 'types'].map((folder) => [folder, 0]),
  ...['auth', 'cli', 'conformance', 'first-hour', 'fuzz'].map((folder) => [folder, 1]),
  ...['interop', 'runtimes', 'servers', 'soak', 'workbench'].map((folder) => [folder, 1]),
  // Before replicas it runs what conformance and interop have.
  ['scale', 2],
  // Clients and servers are those of interop, databases those of scale.
  ...['gateway', 'faults'].map((folder) => [folder, 3]),
  // Its program is that of cli.
  ['hosts', 3],
])
const BENCH = new Map([...['programs', 'load'].map((folder) => [folder, 0]), [OWN, 1]])
const OUTSIDE_RANKS = new Map([
  ['tests', TESTS],
  ['bench', BENCH],
])

/** What every folder of rank 0 may use: the family of errors, how a message looks, how a part is loaded when it is needed, and time that runs out. */
const FOUNDATION = new Map([
  ['packages/sdk/src/jsonrpc/errors.ts', { typesOnly: false }],
  ['packages/sdk/src/jsonrpc/longest-timer.ts', { typesOnly: false }],
  ['packages/sdk/src/jsonrpc/message.ts', { typesOnly: true }],
  ['packages/sdk/src/jsonrpc/on-demand.ts', { typesOnly: false }],
  ['packages/sdk/src/jsonrpc/time-limit.ts', { typesOnly: false }],
])

/**
 * Which packages a package imports, by folder; `types` may be imported with `import type` alone, and of the package of a
 * door in `doors` nothing else.
 */
const PACKAGES = new Map([
  ['sdk', { uses: [], types: [] }],
  ['host', { uses: ['sdk'], types: [] }],
  ['servers', { uses: ['sdk'], types: [] }],
  ['app', { uses: ['host', 'servers', 'sdk'], types: [] }],
  // Lua; what it speaks with is another process, and so it is for the extension, which takes the types of the protocol.
  ['neovim', { uses: [], types: [] }],
  ['vscode', { uses: [], types: ['app'] }],
  // What runs in a browser as it is.
  ['ui', { uses: [], types: ['app'], doors: ['packages/sdk/src/doors/internal-text.ts'] }],
])

/** Folders that show or measure the packages the way a user has them. */
const OUTSIDE = ['examples', 'docs', 'bench', 'tests']

/** What breaks parsers one by one has to reach them where they are: they have no doors. */
const INWARD = /^tests\/fuzz\//

/**
 * @param {string} root
 * @returns {string[]} one line for each violation
 */
export function checkLayers(root) {
  const packages = readPackages(root)
  const inside = packages.flatMap(({ folder }) => [`packages/${folder}/src`, `packages/${folder}/test`])
  const files = [...inside, ...OUTSIDE].flatMap((folder) => listCode(root, folder))
  const problems = packages
    .filter(({ folder }) => !PACKAGES.has(folder))
    .map(({ folder }) => `packages/${folder} is not in the table of packages`)
  const graph = new Map()
  for (const file of files) {
    const edges = readImports(readFileSync(join(root, file), 'utf8'), file).flatMap((found) => {
      const target = resolveImport(root, packages, file, found.specifier)
      return target === undefined ? [] : [{ ...found, target }]
    })
    graph.set(file, edges)
    for (const edge of edges) {
      const why = edge.target.missing ? 'there is no such file' : judge(file, edge)
      if (why !== undefined) problems.push(`${file}:${edge.line} imports ${edge.specifier}: ${why}`)
    }
  }
  return [...problems, ...findCycles(graph)]
}

/** What an import leads to inside the repository, or undefined for libraries and the runtime's own modules. */
function resolveImport(root, packages, file, specifier) {
  if (specifier.startsWith('.')) {
    const path = findSource(root, posix.join(posix.dirname(file), specifier))
    // Packages are compiled; suites outside of them install what they need later, so that no compiler looks at them.
    const isOutside = packageOf(file) === undefined && packageOf(path) === undefined
    const missing = isOutside && /\.[cm]?tsx?$/.test(specifier) && !existsSync(join(root, path))
    return { path, package: packageOf(path), byName: false, isDoor: true, missing }
  }
  const owner = packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (owner === undefined) return undefined
  const door = owner.doors.get(`.${specifier.slice(owner.name.length)}`)
  const path = door === undefined ? `packages/${owner.folder}` : posix.join('packages', owner.folder, door)
  return { path, package: owner.folder, byName: true, isDoor: door !== undefined }
}

/** Says why an import is not allowed, or undefined. */
function judge(file, { target, typeOnly }) {
  const own = packageOf(file)
  if (target.byName && !target.isDoor) return 'the package has no such door'
  if (own === undefined) {
    if (INWARD.test(file)) return undefined
    if (target.package !== undefined && !target.byName) return 'packages are reached through their doors'
    if (target.byName && isInternalDoor(target.path))
      return 'the internal door is for packages that are released together'
    return target.package === undefined ? judgeOutside(file, target.path, typeOnly) : undefined
  }
  if (isTestFile(target.path) && !isTestFile(file)) return 'only tests import tests'
  if (target.package !== own) return judgePackages(own, file, target, typeOnly)
  if (target.byName && !isTestFile(file)) return 'a package does not import its own doors'
  const ranks = RANKS.get(own)
  return ranks === undefined ? undefined : judgeRanks(ranks, file, target.path, typeOnly)
}

/** Suites and benchmarks: each has ranks of its own, and all may use what the suites share. */
function judgeOutside(file, targetPath, typeOnly) {
  const [area] = file.split('/')
  const [targetArea] = targetPath.split('/')
  if (area === targetArea) {
    const ranks = OUTSIDE_RANKS.get(area)
    return ranks === undefined ? undefined : judgeRanks(ranks, file, targetPath, typeOnly)
  }
  const isSuites = targetArea === 'tests' && layerOf(targetPath) !== 'support'
  return isSuites || targetArea === 'bench' ? `${area} does not reach into ${targetArea}` : undefined
}

function judgePackages(own, file, target, typeOnly) {
  if (target.package === undefined) return isTestFile(file) ? undefined : 'a package does not reach outside its folder'
  if (!target.byName) return 'packages are reached through their doors'
  const { uses, types, doors = [] } = PACKAGES.get(own) ?? { uses: [], types: [] }
  if (uses.includes(target.package) || doors.includes(target.path) || (typeOnly && types.includes(target.package)))
    return undefined
  if (types.includes(target.package)) return `${own} takes types alone from ${target.package}`
  return `${own} does not depend on ${target.package}`
}

function judgeRanks(ranks, file, targetPath, typeOnly) {
  const from = layerIn(ranks, file)
  const to = layerIn(ranks, targetPath)
  // Tests in the package's own test folder span layers by purpose.
  if (from === undefined || (to === undefined && isTestFile(targetPath))) return undefined
  const fromRank = ranks.get(from)
  const toRank = ranks.get(to)
  if (fromRank === undefined) return `${from} is not in the table of layers`
  if (toRank === undefined) return `${to ?? targetPath} is not in the table of layers`
  if (from === to || fromRank === TOP || toRank < fromRank) return undefined
  const isTest = isTestFile(file)
  if (toRank > fromRank) {
    // The contract suites are written for the tests of what they hold to the contract.
    return isTest && to === 'testing' ? undefined : `${from} is below ${to}, and imports point downward`
  }
  const foundation = FOUNDATION.get(targetPath)
  if (isTest || (foundation !== undefined && (typeOnly || !foundation.typesOnly))) return undefined
  if (foundation !== undefined) return `${from} takes types alone from it`
  return `${from} and ${to} are siblings`
}

/** Reports the import that closes each circle met on a walk through the graph; every circle has such an import. */
function findCycles(graph) {
  const problems = []
  const done = new Set()
  const path = []
  const visit = (file) => {
    path.push(file)
    for (const { target, line, specifier } of graph.get(file) ?? []) {
      if (done.has(target.path) || !graph.has(target.path)) continue
      const start = path.indexOf(target.path)
      if (start < 0) visit(target.path)
      else {
        const circle = [...path.slice(start), target.path].join(' → ')
        problems.push(`${file}:${line} imports ${specifier}: closes the circle ${circle}`)
      }
    }
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) if (!done.has(file)) visit(file)
  return problems
}

/** The file that a relative import means, by the names a compiler would try; the path as written if there is none. */
function findSource(root, path) {
  const stem = path.replace(/\.([cm]?)js(x?)$/, '')
  const names = [path, `${stem}.ts`, `${stem}.tsx`, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`]
  return names.find((name) => /\.[cm]?[jt]sx?$/.test(name) && existsSync(join(root, name))) ?? path
}

function packageOf(path) {
  return /^packages\/([^/]+)/.exec(path)?.[1]
}

/** Where files in the folder itself are one layer, that is it; a test belongs to what it tests. */
function layerIn(ranks, path) {
  const layer = layerOf(path)?.replace(/\.test(?=\.[cm]?[jt]sx?$)/, '')
  return ranks.has(OWN) && layer?.includes('.') && !ranks.has(layer) ? OWN : layer
}

/** The first folder below a package's `src`, or of the suites or benchmarks; a file directly in there stands for itself. */
function layerOf(path) {
  return /^(?:packages\/[^/]+\/src|tests|bench)\/([^/]+)/.exec(path)?.[1]
}

reportIfMain(import.meta.url, 'layers', checkLayers)
