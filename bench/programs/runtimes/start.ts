/**
 * A handler on another runtime, as a process group of its own: `start <bun|deno|workerd> <its binary> <bare|portico>`. The CPU
 * time that is told is the group's, since some of these binaries are started by a program of npm's.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { announce } from '../control.ts'

const here = dirname(fileURLToPath(import.meta.url))
const [runtime = '', binary = '', handler = ''] = process.argv.slice(2)
const name = `${runtime}-${handler}`
const folder = join(here, 'made')

const child = spawn(binary, await prepare(), { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
const group = child.pid
if (group === undefined) throw new Error(`${binary} did not start`)
process.on('exit', () => process.kill(-group))
child.once('exit', (code) => process.exit(code ?? 1))
for await (const line of createInterface({ input: child.stdout })) {
  const port = /"event":"listen".*"port":(\d+)/.exec(line)?.[1]
  if (port !== undefined) announce(Number(port), () => cpuOf(group))
}

/** Makes one file of the handler, and says how the runtime is to be called for it. */
async function prepare(): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const isWorker = runtime === 'workerd'
  const contents = isWorker
    ? `import { fetch } from './${handler}.js'; export default { fetch: (request) => fetch(request) }`
    : `import { fetch } from './${handler}.js'; import { listen } from './listen.js'; listen(fetch)`
  const common = { bundle: true, format: 'esm', target: 'es2022', platform: 'browser' } as const
  await build({ ...common, stdin: { contents, resolveDir: here }, outfile: join(folder, `${name}.mjs`) })
  if (runtime === 'bun') return [`${name}.mjs`]
  if (runtime === 'deno') return ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1', `${name}.mjs`]
  writeFileSync(join(folder, `${name}.capnp`), configOf(name))
  return ['serve', '--control-fd=1', `${name}.capnp`]
}

/** Microseconds, by Linux's own account, which counts in hundredths of a second. */
function cpuOf(group: number): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    // After the name, which may hold anything: state, parent, group, and from the twelfth on the times.
    const fields = readStat(pid).split(') ').at(-1)?.split(' ') ?? []
    if (Number(fields[2]) === group) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks * 10_000
}

/** Empty for a process that has just ended. */
function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

function configOf(program: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);
const worker :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "${program}.mjs") ],
  compatibilityDate = "2026-07-28",
  compatibilityFlags = ["enable_request_signal"],
);
`
}
