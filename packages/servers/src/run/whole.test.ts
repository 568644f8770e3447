/** Names, output and resources of a run: one gate for each, whichever way they come. */

import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { afterAll, describe, expect, it } from 'vitest'
import { runBounded } from './bounded-process.ts'
import { isFileName } from './file-name.ts'
import { createRunServer } from './server.ts'

const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

it.each(['..\\\\..\\\\evil.txt', 'C:evil.txt', '../evil.txt', 'a\\u0001b', ''])(
  'sec-773: code cannot leave a file by the name "%s", which no call may give either',
  async (name) => {
    const { server, close } = await createRunServer({ ask: false, structured: true, timeMs: 60_000 })
    const client = await connect(server)
    closers.push(close, () => client.close())
    const code = `files.write("${name}", 'x')`
    const { structuredContent } = await client.callTool('run_javascript', { code })
    expect(structuredContent).toMatchObject({ ending: 'failed', files: [] })
    expect(JSON.stringify(structuredContent)).toContain('no name for a file')
    expect(isFileName(JSON.parse(`"${name}"`))).toBe(false)
  },
)

it('sec-774: the resource of a run shows what it printed as the tool does, with nothing hidden', async () => {
  const { server, close } = await createRunServer({ ask: false, structured: true, timeMs: 60_000 })
  const client = await connect(server)
  closers.push(close, () => client.close())
  const code = `const hidden = 'a\\u202eb\\u001b[31mc'; console.log(hidden); console.error(hidden); hidden`
  const { structuredContent } = await client.callTool('run_javascript', { code })
  const { uri, stdout, stderr, value } = structuredContent as { [name: string]: string }
  const { contents } = await client.readResource(uri ?? '')
  const [content] = contents
  const read = JSON.parse(content !== undefined && 'text' in content ? content.text : '{}')
  expect(read).toMatchObject({ stdout, stderr, value })
  for (const text of [read.stdout, read.stderr, read.value]) {
    expect(text).not.toContain('\u202e')
    expect(text).not.toContain('\u001b')
  }
})

describe.skipIf(process.platform === 'win32')('output', () => {
  const limits = { timeMs: 60_000, memoryBytes: 2 ** 30, outputBytes: 1_000 }
  const run = (script: string, onOutput: () => void) =>
    runBounded({ command: ['/bin/sh', '-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' }, limits, onOutput })

  it('of exactly the bound is within it', async () => {
    const ran = await run('printf %01000d 0', () => {})
    expect(ran).toMatchObject({ ending: 'finished', stdout: '0'.repeat(1_000) })
  })

  it('after exactly the bound ends the program', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-output-'))
    closers.push(() => rm(folder, { recursive: true }))
    // What is over comes in a chunk of its own, since it waits for the first to be read.
    const script = `printf %01000d 0; until [ -e ${folder}/read ]; do sleep 0.05; done; echo more; exec sleep 50`
    const ran = await run(script, () => writeFileSync(join(folder, 'read'), ''))
    expect(ran).toMatchObject({ ending: 'output', stdout: '0'.repeat(1_000) })
  })
})
