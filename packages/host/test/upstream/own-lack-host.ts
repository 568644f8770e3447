/** A host that has no file descriptor left and wants its servers all the same; says what it believes of them. Run with a low `ulimit -n`. */

import { closeSync, openSync } from 'node:fs'
import { createUpstreams } from '../../src/upstream/upstreams.ts'
import { configOf, program } from './fixture.ts'

// Two of them: a connection to the one that is kept would serve the other.
const [firstUrl = '', url = ''] = process.argv.slice(2)
const upstreams = createUpstreams({ watchdog: false, breaker: { firstWaitMs: 1, openMs: 60_000 } })
const names = ['piped', 'web']
const web = (name: string, at: string) => configOf(name, { kind: 'http', url: at, headers: {} }, { lazy: true })
const piped = (name: string) => program(name, 'echo', { lazy: true })
await upstreams.set([piped('piped'), web('web', url), piped('first piped'), web('first web', firstUrl)])
// What is loaded when it is first used is there before there is nothing left to open it with.
for (const name of names) await (await upstreams.client(`first ${name}`)).callTool('echo', { text: 'x', token: 't' })

const held: number[] = []
try {
  for (;;) held.push(openSync('/dev/null', 'r'))
} catch {}
const refusals: string[] = []
for (const name of names) {
  for (let attempt = 0; attempt < 12; attempt++) {
    await upstreams.client(name).catch((error: Error) => refusals.push(error.message))
  }
}
for (const one of held) closeSync(one)
const answers = await Promise.all(
  names.map(async (name) => {
    const client = await upstreams.client(name)
    return (await client.callTool('echo', { text: 'again', token: 't' })).isError !== true
  }),
)
process.stdout.write(JSON.stringify({ refusals, answers }))
await upstreams.close()
process.exit(0)
