/** What `portico serve`, its workers and `portico status` say when something is in their way, and that looking makes nothing. */

import { access, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, type Ran, startCli } from './cli.ts'

const LONG_MS = 90_000
let folder: Awaited<ReturnType<typeof createFolder>>
let taken: Server
let closedPort: number
beforeAll(async () => {
  folder = await createFolder()
  taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const gone = createServer()
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
  closedPort = portOf(gone)
  await new Promise((resolve) => gone.close(resolve))
})
afterAll(async () => {
  taken.close()
  await folder.close()
})

function takenPort(): number {
  return portOf(taken)
}

function portOf(server: Server): number {
  // It listens on a port, so that the address is no path.
  return (server.address() as { readonly port: number }).port
}

/** The library of Redis is found where the tests have it. */
const REDIS = findRedis()

function findRedis(): string | undefined {
  try {
    return pathToFileURL(createRequire(new URL('../../../tests/package.json', import.meta.url)).resolve('redis')).href
  } catch {
    // The suites install what they need when they are first run.
    return undefined
  }
}

const HOOK = `export const resolve = (name, context, next) => next(name === 'redis' ? '${REDIS}' : name, context)`
const toModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`
const WITH_REDIS = toModule(`import { register } from 'node:module'; register(${JSON.stringify(toModule(HOOK))})`)
function run(words: readonly string[], env: { readonly [name: string]: string } = {}): Promise<Ran> {
  return startCli(words, { cwd: folder.path, env: { ...folder.env, PORTICO_TOKEN: 'the-token-of-the-caller', ...env } })
    .ended
}

async function write(name: string, gateway: object): Promise<string> {
  const file = join(folder.path, name)
  await writeFile(file, JSON.stringify({ servers: {}, gateway: { auth: { way: 'token' }, ...gateway } }))
  return file
}

describe('portico serve', () => {
  it(
    'on a port in use ends in the same words and with the same code with and without workers (gateway 12)',
    async () => {
      const words = ['serve', await write('port.json', {}), '--port', `${takenPort()}`]
      const [alone, several] = [await run(words), await run([...words, '--workers', '2'])]
      expect([alone.code, alone.stderr]).toEqual([4, expect.stringContaining(`Port ${takenPort()} of 127.0.0.1`)])
      expect([several.code, several.stderr.replaceAll('[worker 1] ', '')]).toEqual([alone.code, alone.stderr])
    },
    LONG_MS,
  )

  it(
    'names the variable of a token that is too short, and who has the port for operations (gateway 12)',
    async () => {
      const short = await write('short.json', { operations: { port: 0, token: 'OPS_TOKEN' } })
      const { code, stderr } = await run(['serve', short, '--port', '0'], { OPS_TOKEN: 'short' })
      expect([code, stderr]).toEqual([7, expect.stringMatching(/OPS_TOKEN: .*at least 24[\s\S]*Set OPS_TOKEN/)])
      expect(stderr).not.toContain('in the file')
      const busy = await run(['serve', await write('busy.json', { operations: { port: takenPort() } }), '--port', '0'])
      expect([busy.code, busy.stderr]).toEqual([4, expect.stringContaining(`operations, ${takenPort()}, is in use by`)])
      expect(busy.stderr).not.toContain('EADDRINUSE')
    },
    LONG_MS,
  )
})

describe('portico status', () => {
  it(
    'says of a misspelled section what serve says, and of no file something else than of a file without it (gateway 12)',
    async () => {
      const wrong = await write('wrong.json', { state: { rediss: 'redis://127.0.0.1:1' } })
      const [looked, served] = [await run(['status', wrong]), await run(['serve', wrong])]
      expect(looked).toEqual(served)
      expect(looked.stderr).toContain('did you mean "redis"')
      const none = await run(['status'])
      expect(none.stderr).toContain('No file was named')
      const without = await run(['status', await write('without.json', {})])
      expect(without.stderr).toContain('without.json has no `gateway.state`')
    },
    LONG_MS,
  )

  it(
    'only looks: neither the database nor its key is made (gateway 12)',
    async () => {
      const file = await write('look.json', { state: { sqlite: 'kept/state.db' } })
      const { code, stderr } = await run(['status', file])
      expect([code, stderr]).toEqual([1, expect.stringContaining('is not there yet')])
      await expect(access(join(folder.path, 'kept'))).rejects.toMatchObject({ code: 'ENOENT' })
    },
    LONG_MS,
  )

  it(
    'of a file that comes with the folder names the command that trusts it, once, and the true reason (newcomer 22)',
    async () => {
      const file = await write('portico.json', { state: { sqlite: 'kept/state.db' } })
      const { code, stderr } = await run(['status'])
      expect([code, stderr]).toEqual([5, expect.stringMatching(/is not used: nobody has trusted it yet/)])
      expect(stderr.match(/`portico servers trust`/g)).toHaveLength(1)
      expect(stderr).not.toMatch(/warning|no gateway/)
      const { stderr: told } = await run(['serve'])
      expect(told).not.toMatch(/warning: .*warning: /)
      await rm(file)
    },
    LONG_MS,
  )

  it.each(REDIS === undefined ? ['postgres'] : ['redis', 'postgres'])(
    'ends at once with a code of its own where %s is away, and so does a gateway that waits for it on Ctrl-C (gateway 12)',
    async (kind) => {
      const file = await write(`away-${kind}.json`, { state: { [kind]: `${kind}://127.0.0.1:${closedPort}/0` } })
      const env = { PORTICO_STATE_KEY: 'k'.repeat(43), NODE_OPTIONS: `--import=${WITH_REDIS}` }
      const { code, stderr } = await run(['status', file], env)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be used: .*ECONNREFUSED/)])
      const serving = startCli(['serve', file], {
        cwd: folder.path,
        env: { ...folder.env, ...env, PORTICO_TOKEN: 't'.repeat(24) },
      })
      await serving.until('stderr', /waiting: .*ECONNREFUSED/)
      serving.interrupt()
      expect((await serving.ended).code).toBe(130)
    },
    LONG_MS,
  )
})
