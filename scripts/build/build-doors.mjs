/**
 * Makes the JavaScript of the SDK that is published: each door in a file, and what doors share in a few chunks. Node takes
 * longer to find and open a module than to run it, so a server that is one door and two chunks starts in half the time
 * of one that is a hundred files. The compiler makes the types beside it (`npm run build` runs both); from source,
 * under the condition `portico-source`, nothing of this is used.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Returns the files, with the bytes of each and what it imports at once.
 * @param {string} folder the package
 * @param {string} target where to
 */
export async function buildDoors(folder = join(ROOT, 'packages', 'sdk'), target = join(folder, 'dist')) {
  const source = join(folder, 'src')
  const { exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const doors = Object.keys(entries).map((entry) => entry.slice('./'.length))
  const bundle = await rolldown({
    cwd: folder,
    input: Object.fromEntries(doors.map((door) => [`doors/${door}`, join(source, 'doors', `${door}.ts`)])),
    platform: 'neutral',
    // Packages and Node's own modules stay imports.
    external: (id) => !id.startsWith('.') && !id.startsWith(folder),
    // As the package says of itself: a module that nobody uses anything of is not needed.
    treeshake: { moduleSideEffects: false },
  })
  // Beside it, for the same paths in the source maps.
  const fresh = `${target}-${process.pid}`
  let output
  try {
    ;({ output } = await bundle.write({
      dir: fresh,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      sourcemap: true,
      comments: { annotation: true, jsdoc: false },
      // Functions and classes keep their names, for stack traces; the sources are published and mapped. Lines stay lines: Node
      // prints the whole line of an error that nobody catches before what the error says.
      minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
      codeSplitting: { groups: CHUNKS.map(toGroup) },
    }))
    putInPlace(fresh, target)
  } finally {
    await bundle.close()
    rmSync(fresh, { recursive: true, force: true })
  }
  const chunks = output.filter(({ type }) => type === 'chunk')
  return chunks.map(({ fileName, code, imports }) => ({ fileName, bytes: code.length, imports }))
}

/** What only some servers need, and load when they do (`docs/decisions/loaded-when-needed.md`). */
const ON_DEMAND = [
  {
    name: 'json-schema',
    paths: ['schema/json-schema/json-schema', 'schema/pattern/'],
    but: [
      ...['defaults', 'formats', 'issues', 'limits', 'place', 'plain', 'wellformed'].map(
        (name) => `schema/json-schema/json-schema-${name}`,
      ),
      'schema/pattern/pattern-native',
    ],
  },
  // Of a client always, of a server that asks one.
  {
    name: 'questions',
    paths: ['jsonrpc/pending', 'jsonrpc/deadline'],
    also: ['questions', 'elicitation-forms', 'sampling-messages'].map((name) => `protocol/revisions/${name}`),
  },
  {
    name: 'asking',
    paths: ['asking/questions', 'asking/asking', 'asking/round-once'].map((name) => `server/${name}`),
    also: [
      ...['elicitation', 'sampling', 'roots.ts'].map((name) => `server/features/${name}`),
      ...['rounds', 'kept-rounds/round-memory', 'sealed-state', 'handler-run', 'step-scope', 'session-request'].map(
        (name) => `session/${name}`,
      ),
    ],
  },
]

/**
 * What is loaded together, first match first: everybody needs the base, every server the next, and so on. What is in
 * none of them goes with its door, or into a chunk of its own where it is loaded on demand.
 */
const CHUNKS = [
  {
    name: 'base',
    paths: ['framing/', 'jsonrpc/', 'schema/', 'protocol/', 'auth/principal', 'session/connectable'],
    also: ['memory', 'send-queue', 'byte-stream', 'stdio', 'http-heartbeat'].map((name) => `transport/${name}`),
    but: [
      'protocol/skills',
      'protocol/tasks',
      'protocol/revisions/client-messages',
      'schema/json-schema/json-schema-formats',
    ],
  },
  {
    name: 'serving',
    paths: ['session/', 'server/'],
    also: ['serve/stdio', 'serve/stray-output', 'serve/rules/limits', 'serve/rules/http-load'],
    but: [
      ...['check/lint', 'check/mixed-scripts', 'skills', 'relay', 'asking/relayed-question'],
      ...['budget/overflow', 'budget/budget-store', 'features/tool-faults', 'slow-report', 'tasks/'],
    ].map((name) => `server/${name}`),
  },
  ...ON_DEMAND,
  {
    name: 'http',
    paths: ['serve/', 'transport/http-event', 'transport/http-reply', 'transport/event-stream'],
    but: ['serve/bearer', 'serve/observe/telemetry', 'serve/socket', 'serve/websocket', ...nodeHttp('serve/adapters')],
  },
  // Apart from the above, which also runs where there is no Node.
  { name: 'http-node', paths: nodeHttp('serve/adapters') },
  {
    name: 'client',
    paths: [
      'client/',
      'connect/',
      'transport/http-client/http-client.',
      'transport/http-client/http-client-dialer',
      'transport/http-client/http-client-repeat',
    ],
    also: [
      ...['transport/sse', 'transport/http-sse', 'transport/websocket/websocket-client'],
      ...['protocol/revisions/client-messages', 'schema/json-schema/json-schema-formats'],
    ],
  },
]

function nodeHttp(layer) {
  return ['http.ts', 'http-node', 'http-server', 'http-certificate', 'open-sessions', 'tls'].map(
    (name) => `${layer}/${name}`,
  )
}

function toGroup(chunk, index) {
  const start = `${sep}src${sep}`
  const test = (id) => {
    const at = id.lastIndexOf(start)
    if (at === -1) return false
    const path = id.slice(at + start.length).replaceAll(sep, '/')
    return holds(chunk, path) && (ON_DEMAND.includes(chunk) || !ON_DEMAND.some((other) => holds(other, path)))
  }
  return { name: chunk.name, test, priority: CHUNKS.length - index }
}

function holds({ paths, also = [], but = [] }, path) {
  const begins = (prefix) => path.startsWith(prefix)
  return (paths.some(begins) || also.some(begins)) && !but.some(begins)
}

/**
 * Replaces file by file, and leaves alone what is the same. Names carry no digest: a program that runs from the folder finds every
 * file that this build has too, and not those that it no longer has.
 * Scripts of an earlier build must not be published along with this one; the types are the compiler's.
 */
function putInPlace(fresh, target) {
  const made = scriptsIn(fresh)
  for (const name of made) {
    const from = join(fresh, name)
    const to = join(target, name)
    if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
  }
  for (const name of scriptsIn(target)) if (!made.includes(name)) rmSync(join(target, name), { force: true })
}

/** Only where this build puts them: a folder may hold links to others. */
function scriptsIn(folder) {
  return ['doors', 'chunks'].flatMap((part) => {
    const place = join(folder, part)
    const names = existsSync(place) ? readdirSync(place, { recursive: true, encoding: 'utf8' }) : []
    return names.filter((name) => /\.js(\.map)?$/.test(name)).map((name) => join(part, name))
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDoors()
