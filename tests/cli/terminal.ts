/** Other commands where a person looks: questions, colours, progress, and Ctrl-C in the middle of a call. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trial } from '../support/suite.ts'
import { missingTmux, openScreen, type Screen } from '../support/tmux.ts'
import { BINARY } from './binary.ts'

const FIXTURE = fileURLToPath(new URL('../../packages/app/test/fixture-server.mjs', import.meta.url))
const PORTICO = `${process.execPath} ${BINARY}`

interface Place {
  readonly screen: Screen
  readonly command: string
  notes(): string
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-terminal-'))
  const notes = join(folder, 'notes.txt')
  await mkdir(join(folder, 'config'))
  const servers = { desk: { command: process.execPath, args: [FIXTURE, notes] } }
  await writeFile(join(folder, 'config', 'portico.json'), JSON.stringify({ servers }))
  const env = { HOME: folder, PORTICO_STATE_DIR: join(folder, 'state'), PORTICO_CONFIG_DIR: join(folder, 'config') }
  const screen = openScreen(env, folder)
  try {
    const read = (): string => (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
    await work({ screen, command: `'${process.execPath} ${FIXTURE} ${notes}'`, notes: read })
  } finally {
    screen.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

const trial = (name: string, run: (place: Place) => Promise<void>): Trial => ({
  name: `terminal: ${name}`,
  missing: missingTmux,
  run: () => inPlace(run),
})

export const trials: readonly Trial[] = [
  trial('a configured server asks to connect and to call, and remembers', async ({ screen, notes }) => {
    screen.line(`${PORTICO} call desk greet name=Ada; echo "exit $?"`)
    await screen.until(/Connect desk\?[\s\S]*›/)
    screen.mark()
    screen.line('a')
    await screen.until(/Call greet of desk\?[\s\S]*›/)
    screen.mark()
    screen.line('a')
    await screen.until(/Hello, [\s\S]*exit 0/)
    screen.mark()
    screen.line(`${PORTICO} call desk greet name=Bea; echo "exit $?"`)
    await screen.until(/Hello, .*Bea[\s\S]*exit 0/)
    assert.equal(notes().match(/call greet/g)?.length, 2)
    assert.deepEqual(screen.children(), [])
  }),
  trial(
    'Tab completes servers, tools and arguments from what was listed, and starts nothing',
    async ({ screen, notes }) => {
      screen.line('bash --norc')
      screen.line(
        `portico() { ${PORTICO} "$@"; }; source <(portico completion bash); portico list desk --yes; echo listed`,
      )
      await screen.until(/tool\s+greet[\s\S]*\nlisted/)
      const before = notes()
      screen.mark()
      screen.type('portico call de')
      screen.press('Tab')
      await screen.until(/call desk$/)
      screen.type('gre')
      screen.press('Tab')
      await screen.until(/call desk greet$/)
      screen.type('na')
      screen.press('Tab')
      await screen.until(/call desk greet name=/)
      assert.equal(notes(), before)
    },
  ),
  trial('a no ends with exit code 5', async ({ screen, notes }) => {
    screen.line(`${PORTICO} call desk greet name=Ada; echo "exit $?"`)
    await screen.until(/Connect desk\?[\s\S]*›/)
    screen.mark()
    screen.line('n')
    await screen.until(/A person said no[\s\S]*exit 5/)
    assert.equal(notes(), '')
  }),
  trial('progress is shown, and Ctrl-C cancels the call and leaves no process', async ({ screen, command, notes }) => {
    screen.line(`${PORTICO} call ${command} wait; echo "exit $?"`)
    await screen.until(/wait 1\/9 waiting/)
    screen.press('C-c')
    await screen.until(/exit 130/)
    assert.match(notes(), /cancelled/)
    assert.deepEqual(screen.children(), [])
    const [, pid] = /pid (\d+)/.exec(notes()) ?? []
    assert.throws(() => process.kill(Number(pid), 0), 'the server is still there')
  }),
  trial("a server's form is asked directly", async ({ screen, command }) => {
    screen.line(`${PORTICO} call ${command} ask; echo "exit $?"`)
    await screen.until(/asks: Who are you\?[\s\S]*Name:/)
    screen.mark()
    screen.line('Ada')
    await screen.until(/Send this\?/)
    screen.mark()
    screen.line('')
    await screen.until(/"action": "accept",\s+"content": \{\s+"who": "Ada"\s+\}[\s\S]*exit 0/)
  }),
  trial("a server's terminal codes are shown, not obeyed", async ({ screen, command }) => {
    screen.line(`${PORTICO} call ${command} escape; echo "exit $?"`)
    await screen.until(/red ⟦U\+001B⟧\[31mtext[\s\S]*exit 0/)
  }),
  trial('listening ends with Ctrl-C and exit code 0', async ({ screen, command }) => {
    screen.line(`${PORTICO} listen ${command} note://one; echo "exit $?"`)
    await screen.until(/log warning it is warm/)
    screen.press('C-c')
    await screen.until(/exit 0/)
    assert.deepEqual(screen.children(), [])
  }),
]
